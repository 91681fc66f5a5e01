// The sequence of collectives that brings a tensor from one sharding to another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/ReshardPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace mlir;

namespace systole::partition {

namespace {

using Axes = SmallVector<AxisPart>;

/// Divides axes such that those of both shardings are equal or have nothing in common, where one
/// divides the other. Others, such as parts of 2 and of 3 of an axis of 6, keep positions in
/// common: such an axis is gathered before the other one is used.
class AxisDivision {
public:
  AxisDivision(const Sharding &from, const Sharding &to) {
    for (const Sharding *sharding : {&from, &to}) {
      for (const Axes &axes : sharding->dims)
        add(axes);
      add(sharding->unreduced);
    }
  }

  Sharding divide(const Sharding &sharding) const {
    Sharding result;
    for (const Axes &axes : sharding.dims)
      result.dims.push_back(divide(axes));
    result.unreduced = divide(sharding.unreduced);
    return result;
  }

private:
  void add(ArrayRef<AxisPart> axes) {
    for (const AxisPart &axis : axes)
      cuts[axis.name].insert({axis.before, axis.before * axis.size});
  }

  Axes divide(ArrayRef<AxisPart> axes) const {
    Axes result;
    for (const AxisPart &axis : axes) {
      int64_t before = axis.before;
      for (int64_t cut : cuts.find(axis.name)->second)
        if (cut > before && cut <= axis.before * axis.size) {
          // One that does not divide the axis has no part of its own.
          if (cut % before != 0 || axis.before * axis.size % cut != 0)
            continue;
          result.push_back({axis.name, before, cut / before});
          before = cut;
        }
    }
    return result;
  }

  std::map<StringRef, std::set<int64_t>> cuts;
};

bool contains(ArrayRef<AxisPart> axes, const AxisPart &axis) {
  return llvm::is_contained(axes, axis);
}

bool isPrefix(ArrayRef<AxisPart> axes, ArrayRef<AxisPart> of) {
  return axes.size() <= of.size() && axes == of.take_front(axes.size());
}

size_t commonPrefix(ArrayRef<AxisPart> a, ArrayRef<AxisPart> b) {
  size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[length] == b[length])
    ++length;
  return length;
}

class ReshardPlanner {
public:
  ReshardPlanner(const Sharding &from, const Sharding &to) : now(from), to(to) {}

  SmallVector<ReshardStep> run() {
    reduce();
    embed();
    while (now.dims != to.dims)
      if (!slice() && !permuteAll() && !exchange() && !reorder())
        gather();
    Axes terms;
    llvm::copy_if(to.unreduced, std::back_inserter(terms),
                  [&](const AxisPart &axis) { return !contains(now.unreduced, axis); });
    if (!terms.empty()) {
      now.unreduced = to.unreduced;
      add(ReshardStep::Kind::Mask, 0, 0, terms);
    }
    return std::move(steps);
  }

private:
  void add(ReshardStep::Kind kind, size_t from, size_t to, ArrayRef<AxisPart> axes) {
    steps.push_back({kind, from, to, Axes(axes), now});
  }

  bool isUsed(const AxisPart &axis) const {
    auto overlaps = [&](const AxisPart &other) { return axis.overlaps(other); };
    return llvm::any_of(now.unreduced, overlaps) ||
           llvm::any_of(now.dims, [&](const Axes &axes) { return llvm::any_of(axes, overlaps); });
  }

  bool isWanted(const AxisPart &axis) const {
    return llvm::any_of(to.dims, [&](const Axes &axes) { return contains(axes, axis); });
  }

  /// The axes that a dimension is to have next, if those that it has are in place.
  ArrayRef<AxisPart> next(size_t d) const {
    return isPrefix(now.dims[d], to.dims[d])
               ? ArrayRef<AxisPart>(to.dims[d]).drop_front(now.dims[d].size())
               : ArrayRef<AxisPart>();
  }

  void reduce() {
    auto isTerm = [&](const AxisPart &axis) {
      return contains(now.unreduced, axis) && !contains(to.unreduced, axis);
    };
    for (size_t d = 0; d < now.dims.size(); ++d)
      if (const Axes axes(next(d).take_while(isTerm)); !axes.empty()) {
        llvm::erase_if(now.unreduced, [&](const AxisPart &axis) { return contains(axes, axis); });
        llvm::append_range(now.dims[d], axes);
        add(ReshardStep::Kind::ReduceScatter, d, d, axes);
      }
    Axes axes;
    llvm::copy_if(now.unreduced, std::back_inserter(axes), isTerm);
    llvm::erase_if(now.unreduced, [&](const AxisPart &axis) { return contains(axes, axis); });
    if (!axes.empty())
      add(ReshardStep::Kind::AllReduce, 0, 0, axes);
  }

  void embed() {
    for (size_t d = 0; d < now.dims.size(); ++d) {
      Axes &axes = now.dims[d];
      size_t first = axes.size();
      while (first > 0 && contains(to.unreduced, axes[first - 1]))
        --first;
      const Axes terms(ArrayRef<AxisPart>(axes).drop_front(first));
      if (terms.empty())
        continue;
      axes.pop_back_n(terms.size());
      llvm::append_range(now.unreduced, terms);
      add(ReshardStep::Kind::Embed, d, d, terms);
    }
  }

  bool slice() {
    for (size_t d = 0; d < now.dims.size(); ++d) {
      const Axes axes(next(d).take_while([&](const AxisPart &axis) { return !isUsed(axis); }));
      if (axes.empty())
        continue;
      llvm::append_range(now.dims[d], axes);
      add(ReshardStep::Kind::Slice, d, d, axes);
      return true;
    }
    return false;
  }

  bool permuteAll() {
    for (size_t d = 0; d < now.dims.size(); ++d)
      if (now.parts(d) != to.parts(d))
        return false;
    now.dims = to.dims;
    add(ReshardStep::Kind::Permute, 0, 0, {});
    return true;
  }

  bool exchange() {
    for (size_t d = 0; d < now.dims.size(); ++d) {
      const ArrayRef<AxisPart> wanted = next(d);
      for (size_t from = 0; from < now.dims.size(); ++from)
        for (size_t count = std::min(wanted.size(), now.dims[from].size()); count > 0; --count) {
          const Axes axes(wanted.take_front(count));
          if (ArrayRef<AxisPart>(now.dims[from]).take_back(count) != ArrayRef<AxisPart>(axes))
            continue;
          now.dims[from].pop_back_n(count);
          llvm::append_range(now.dims[d], axes);
          add(ReshardStep::Kind::AllToAll, from, d, axes);
          return true;
        }
    }
    return false;
  }

  /// Within each dimension, axes that stay become the major ones, and those that are to be gathered
  /// the minor ones, if otherwise an axis that `to` has would be gathered.
  bool reorder() {
    Sharding ordered = now;
    bool isBlocked = false;
    for (auto [axes, wanted] : llvm::zip_equal(ordered.dims, to.dims)) {
      const size_t inPlace = commonPrefix(axes, wanted);
      isBlocked |= llvm::any_of(ArrayRef<AxisPart>(axes).drop_front(inPlace),
                                [&](const AxisPart &axis) { return isWanted(axis); });
      llvm::stable_sort(axes, [&, &wanted = wanted](const AxisPart &a, const AxisPart &b) {
        auto rank = [&](const AxisPart &axis) {
          const auto *at = llvm::find(wanted, axis);
          return at != wanted.end() ? at - wanted.begin()
                                    : ptrdiff_t(wanted.size()) + (isWanted(axis) ? 0 : 1);
        };
        return rank(a) < rank(b);
      });
    }
    if (!isBlocked || ordered.dims == now.dims)
      return false;
    now = ordered;
    add(ReshardStep::Kind::Permute, 0, 0, {});
    return true;
  }

  /// The minor axes of a dimension that `to` has nowhere; without such, all that are in the way.
  Axes toGather(size_t d, bool onlyUnwanted) const {
    const ArrayRef<AxisPart> axes(now.dims[d]);
    const size_t inPlace = commonPrefix(axes, to.dims[d]);
    size_t first = axes.size();
    while (first > inPlace && !(onlyUnwanted && isWanted(axes[first - 1])))
      --first;
    return Axes(axes.drop_front(first));
  }

  /// Gathers the least that is in the way.
  void gather() {
    for (bool onlyUnwanted : {true, false}) {
      std::optional<size_t> best;
      Axes gathered;
      for (size_t d = 0; d < now.dims.size(); ++d)
        if (Axes axes = toGather(d, onlyUnwanted);
            !axes.empty() && (!best || partsOf(axes) < partsOf(gathered))) {
          best = d;
          gathered = axes;
        }
      if (!best)
        continue;
      now.dims[*best].pop_back_n(gathered.size());
      return add(ReshardStep::Kind::AllGather, *best, *best, gathered);
    }
    llvm_unreachable("a dimension is divided along an axis that it is not to have");
  }

  Sharding now, to;
  SmallVector<ReshardStep> steps;
};

} // namespace

SmallVector<ReshardStep> planReshard(const Sharding &from, const Sharding &to) {
  const AxisDivision division(from, to);
  return ReshardPlanner(division.divide(from), division.divide(to)).run();
}

int64_t partBytes(RankedTensorType whole, const Sharding &sharding) {
  Type element = whole.getElementType();
  int64_t bits = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    bits = 2;
  }
  bits *= element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  return paddedPart(whole, sharding)->getNumElements() * bits / 8;
}

ReshardTraffic reshardTraffic(RankedTensorType whole, const Sharding &from, const Sharding &to) {
  ReshardTraffic traffic;
  Sharding now = from;
  for (const ReshardStep &step : planReshard(from, to)) {
    const int64_t cores = partsOf(step.axes), part = partBytes(whole, now);
    switch (step.kind) {
    case ReshardStep::Kind::AllReduce:
      traffic.bytes += 2 * part / cores * (cores - 1);
      break;
    case ReshardStep::Kind::ReduceScatter:
    case ReshardStep::Kind::AllToAll:
      traffic.bytes += part / cores * (cores - 1);
      break;
    case ReshardStep::Kind::AllGather:
      traffic.bytes += part * (cores - 1);
      break;
    case ReshardStep::Kind::Permute:
      traffic.bytes += part;
      break;
    case ReshardStep::Kind::Slice:
    case ReshardStep::Kind::Embed:
    case ReshardStep::Kind::Mask:
      break;
    }
    traffic.collectives += step.moves();
    now = step.after;
  }
  return traffic;
}

} // namespace systole::partition
