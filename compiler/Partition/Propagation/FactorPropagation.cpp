// Propagation along the factors of one operation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/FactorPropagation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>
#include <tuple>

using namespace mlir;

namespace systole::partition {

namespace {

/// The axes that tensors agree on along one factor, the major ones first.
struct Agreement {
  AxisList axes;
  bool canGrow = true; ///< by axes of further tensors

  /// Takes another tensor's axes into account: up to where the lists differ, and what one of them
  /// has behind that.
  void meet(ArrayRef<AxisPart> others);
};

void Agreement::meet(ArrayRef<AxisPart> others) {
  AxisList agreed;
  ArrayRef<AxisPart> own = axes;
  bool goesOn = true;
  while (goesOn && !own.empty() && !others.empty()) {
    const AxisPart mine = own.front(), other = others.front();
    own = own.drop_front();
    others = others.drop_front();
    if (mine == other) {
      agreed.push_back(mine);
    } else if (isPrefixOf(other, mine)) {
      // What follows a part of an axis is another one than the rest of that axis.
      goesOn = others.empty();
      agreed.push_back(goesOn ? mine : other);
    } else if (isPrefixOf(mine, other)) {
      goesOn = canGrow && own.empty();
      agreed.push_back(goesOn ? other : mine);
    } else {
      goesOn = false;
    }
  }
  if (goesOn)
    llvm::append_range(agreed, own);
  canGrow &= goesOn;
  if (canGrow)
    llvm::append_range(agreed, others);
  axes = std::move(agreed);
}

/// The axes that may be propagated along a factor, without regard to others.
AxisList agreedAxes(Projection &projection, size_t factor, Direction direction) {
  Agreement agreement;
  if (direction == kNowhere)
    return {};
  auto meetAll = [&](ArrayRef<TensorFactors> tensors) {
    for (const TensorFactors &tensor : tensors)
      if (const auto &own = tensor.factors[factor])
        agreement.meet(own->axes);
  };
  const bool isBackward = direction == kBackward;
  meetAll(isBackward ? projection.ofResults() : projection.ofOperands());
  // Against the direction there are conflicts, but nothing new.
  if (direction != kBoth)
    agreement.canGrow = false;
  meetAll(isBackward ? projection.ofOperands() : projection.ofResults());
  return std::move(agreement.axes);
}

/// The major part of an axis that no other factor of the tensor is divided along.
std::optional<AxisPart> withoutOtherFactors(AxisPart part, const TensorFactors &tensor,
                                            size_t factor) {
  std::optional<AxisPart> rest = part;
  for (auto [number, other] : llvm::enumerate(tensor.factors)) {
    if (!other || number == factor)
      continue;
    if (rest = prefixWithout(*rest, other->overflow); !rest)
      return rest;
    if (rest = prefixWithout(*rest, other->axes); !rest)
      return rest;
  }
  return rest;
}

/// The major part of an axis by which the factor of the tensor is, or may be, divided; `parts` is
/// in how many it is by the axes before.
std::optional<AxisPart> withinFactor(AxisPart part, const TensorFactors &tensor, size_t factor,
                                     int64_t parts, int64_t size) {
  std::optional<AxisPart> rest = prefixWithout(part, tensor.replicated());
  if (rest)
    rest = prefixWithout(*rest, tensor.unreduced());
  if (!rest)
    return rest;
  const FactorSharding &own = *tensor.factors[factor];
  if (llvm::any_of(own.axes, [&](const AxisPart &axis) { return contains(axis, *rest); }))
    return rest;
  if (!own.isClosed && own.overflow.empty()) {
    if (own.isMinorMost)
      return rest;
    if (size % parts == 0) {
      const int64_t common = std::gcd(size / parts, rest->size);
      if (common != 1) {
        rest->size = common;
        return rest;
      }
    }
  }
  if (!own.axes.empty() && isPrefixOf(own.axes.back(), *rest))
    return own.axes.back();
  return std::nullopt;
}

/// Cuts off a list where `keep` has less of an axis, given in how many parts the axes before
/// divide.
void truncate(AxisList &axes,
              function_ref<std::optional<AxisPart>(const AxisPart &part, int64_t parts)> keep) {
  int64_t parts = 1;
  for (auto [place, part] : llvm::enumerate(axes)) {
    std::optional<AxisPart> kept = keep(part, parts);
    if (!kept)
      return axes.truncate(place);
    if (part != *kept) {
      part = *kept;
      return axes.truncate(place + 1);
    }
    parts *= kept->size;
  }
}

/// The tensor that axes of a factor come from: the largest one that has them.
struct Source {
  int64_t tensor = -1, size = -1;
};

SmallVector<Source> sourcesOf(const Projection &projection, ArrayRef<int64_t> sizes,
                              ArrayRef<AxisList> axes) {
  SmallVector<Source> sources(sizes.size());
  for (auto [number, tensor] : llvm::enumerate(projection.tensors)) {
    int64_t size = 1;
    for (auto [factor, own] : llvm::enumerate(tensor.factors))
      if (own)
        size *= sizes[factor];
    for (auto [factor, own] : llvm::enumerate(tensor.factors))
      if (own && !axes[factor].empty() && size > sources[factor].size &&
          isListPrefix(axes[factor], own->axes, /*orEqual=*/true))
        sources[factor] = {int64_t(number), size};
  }
  return sources;
}

/// What is left for one tensor of axes that are propagated along a factor; empty if that is nothing
/// new.
AxisList axesFor(const TensorFactors &tensor, size_t factor, ArrayRef<AxisPart> propagated,
                 int64_t size) {
  const std::optional<FactorSharding> &own = tensor.factors[factor];
  if (!own)
    return {};
  AxisList axes(propagated.begin(), propagated.end());
  truncate(axes, [&](const AxisPart &part, int64_t parts) {
    return withinFactor(part, tensor, factor, parts, size);
  });
  if (!isListPrefix(own->axes, axes, /*orEqual=*/false))
    return {};
  truncate(axes, [&](const AxisPart &part, int64_t) {
    return withoutOtherFactors(part, tensor, factor);
  });
  return axes;
}

} // namespace

llvm::BitVector propagateFactors(Projection &projection, ArrayRef<int64_t> sizes,
                                 DirectionOf directionOf, bool isElementwise) {
  llvm::BitVector changed(unsigned(projection.tensors.size()));
  SmallVector<AxisList> axes;
  for (size_t factor = 0; factor < sizes.size(); ++factor)
    axes.push_back(agreedAxes(projection, factor, directionOf(int64_t(factor))));
  if (llvm::all_of(axes, [](const AxisList &list) { return list.empty(); }))
    return changed;

  SmallVector<Source> sources = sourcesOf(projection, sizes, axes);
  auto order = llvm::to_vector(llvm::seq<size_t>(0, sizes.size()));
  auto rank = [&](size_t factor) {
    return std::make_tuple(-sources[factor].size, isElementwise ? -partsOf(axes[factor]) : 0,
                           sources[factor].tensor, factor);
  };
  llvm::sort(order, [&](size_t a, size_t b) { return rank(a) < rank(b); });

  for (auto [number, tensor] : llvm::enumerate(projection.ofResults()))
    for (size_t factor : order)
      if (AxisList own = axesFor(tensor, factor, axes[factor], sizes[factor]); !own.empty())
        if (tensor.expand(factor, own))
          changed.set(unsigned(projection.operands + number));
  for (auto [number, tensor] : llvm::enumerate(projection.ofOperands()))
    for (size_t factor : order) {
      AxisList own = axesFor(tensor, factor, axes[factor], sizes[factor]);
      if (own.empty())
        continue;
      // From one operand to another only what a result takes, too.
      if (isElementwise)
        for (const TensorFactors &result : projection.ofResults())
          if (result.factors[factor] &&
              isListPrefix(result.factors[factor]->axes, own, /*orEqual=*/false))
            own = result.factors[factor]->axes;
      if (tensor.expand(factor, own))
        changed.set(unsigned(number));
    }
  return changed;
}

} // namespace systole::partition
