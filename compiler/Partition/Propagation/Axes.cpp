// Arithmetic on axes of a mesh and parts of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Axes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::partition {

bool contains(const AxisPart &outer, const AxisPart &inner) {
  return outer.name == inner.name && outer.before <= inner.before && endOf(outer) >= endOf(inner);
}

bool isPrefixOf(const AxisPart &part, const AxisPart &whole) {
  return contains(whole, part) && part.before == whole.before;
}

/// Whether one division of the axis has both parts.
static bool canCoexist(const AxisPart &a, const AxisPart &b) {
  if (a.name != b.name)
    return true;
  auto [firstBegin, lastBegin] = std::minmax(a.before, b.before);
  auto [firstEnd, lastEnd] = std::minmax(endOf(a), endOf(b));
  if (firstEnd > lastBegin)
    return firstEnd % lastBegin == 0 && lastBegin % firstBegin == 0 && lastEnd % firstEnd == 0;
  return lastBegin % firstEnd == 0;
}

std::optional<AxisPart> prefixWithout(AxisPart part, ArrayRef<AxisPart> others) {
  for (const AxisPart &other : others) {
    if (!canCoexist(part, other))
      return std::nullopt;
    if (!part.overlaps(other))
      continue;
    if (part.before >= other.before)
      return std::nullopt;
    part.size = other.before / part.before;
  }
  return part;
}

void appendMerged(AxisList &list, const AxisPart &part) {
  if (!list.empty() && list.back().name == part.name && endOf(list.back()) == part.before)
    list.back().size *= part.size;
  else
    list.push_back(part);
}

bool isListPrefix(ArrayRef<AxisPart> first, ArrayRef<AxisPart> second, bool orEqual) {
  if (first == second)
    return orEqual;
  if (first.empty())
    return true;
  return first.size() <= second.size() &&
         first.drop_back() == second.take_front(first.size() - 1) &&
         isPrefixOf(first.back(), second[first.size() - 1]);
}

void sortByMesh(SmallVectorImpl<AxisPart> &list, const Mesh &mesh) {
  auto place = [&](const AxisPart &part) {
    return std::make_pair(mesh.find(part.name) - mesh.axes.begin(), part.before);
  };
  llvm::stable_sort(list,
                    [&](const AxisPart &a, const AxisPart &b) { return place(a) < place(b); });
}

} // namespace systole::partition
