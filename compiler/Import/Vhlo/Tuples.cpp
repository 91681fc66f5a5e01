// Flattening of tuples.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Vhlo/Tuples.h"

using namespace mlir;

namespace systole {

size_t Tuples::count(Type type) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || isKept)
    return 1;
  if (auto known = counts.find(type); known != counts.end())
    return known->second;
  size_t sum = 0;
  for (Type each : tuple.getTypes())
    sum = std::min(sum + count(each), kMaxElements + 1);
  return counts[type] = sum;
}

void Tuples::append(Type type, SmallVectorImpl<Type> &elements) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || isKept)
    return elements.push_back(type);
  // The number of empty tuples is not bounded by that of leaves.
  if (count(type) == 0)
    return;
  for (Type each : tuple.getTypes())
    append(each, elements);
}

std::optional<int64_t> Tuples::leafIndex(ArrayRef<Type> types, ArrayRef<int64_t> indices) {
  if (indices.empty() || indices[0] < 0 || indices[0] >= static_cast<int64_t>(types.size()))
    return std::nullopt;
  int64_t before = 0;
  for (Type type : types.take_front(indices[0]))
    before += count(type);
  auto tuple = dyn_cast<TupleType>(types[indices[0]]);
  if (!tuple && indices.size() == 1)
    return before;
  std::optional<int64_t> inside =
      tuple ? leafIndex(tuple.getTypes(), indices.drop_front()) : std::nullopt;
  return inside ? std::optional(before + *inside) : std::nullopt;
}

} // namespace systole
