// Loops whose number of trips is known, and what they read and write in each trip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/CountedLoops.h"

#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

/// The value of an integer constant of rank 0, as its type represents it; nothing for others.
static std::optional<APSInt> scalarConstant(Value value) {
  DenseIntElementsAttr attr;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return APSInt(*attr.value_begin<APInt>(), type.getElementType().isUnsignedInteger());
}

std::optional<int64_t> LoopCounter::count(int64_t most) const {
  APSInt value = start;
  for (int64_t trips = 0; trips <= most; ++trips) {
    if (!continues(value))
      return trips;
    value += step;
  }
  return std::nullopt;
}

bool LoopCounter::continues(const APSInt &value) const {
  using Direction = ComparisonDirection;
  switch (direction) {
  case Direction::LT:
    return value < bound;
  case Direction::LE:
    return value <= bound;
  case Direction::GT:
    return value > bound;
  case Direction::GE:
    return value >= bound;
  case Direction::NE:
    return value != bound;
  case Direction::EQ:
    return value == bound;
  }
  return true;
}

std::optional<LoopCounter> counterOf(WhileOp loop) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  auto compare = cond.getTerminator()->getOperand(0).getDefiningOp<CompareOp>();
  if (!compare || compare->getBlock() != &cond)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  std::optional<APSInt> bound = scalarConstant(compare.getRhs());
  if (!counter || counter.getOwner() != &cond || !bound)
    return std::nullopt;
  unsigned number = counter.getArgNumber();
  auto next = body.getTerminator()->getOperand(number).getDefiningOp<AddOp>();
  if (!next)
    return std::nullopt;
  Value old = body.getArgument(number);
  Value added = next.getLhs() == old ? next.getRhs() : next.getLhs();
  std::optional<APSInt> start = scalarConstant(loop.getOperand()[number]);
  std::optional<APSInt> step = scalarConstant(added);
  if (!start || !step || (next.getLhs() != old && next.getRhs() != old))
    return std::nullopt;
  return LoopCounter{number, *start, *step, *bound, compare.getComparisonDirection()};
}

std::optional<CountedLoop> CountedLoop::of(WhileOp loop) {
  // More trips are no loop over an array that memory could hold.
  constexpr int64_t kMostTrips = 1 << 20;
  std::optional<LoopCounter> counter = counterOf(loop);
  std::optional<int64_t> trips = counter ? counter->count(kMostTrips) : std::nullopt;
  if (!trips)
    return std::nullopt;
  CountedLoop counted;
  counted.loop = loop;
  counted.counter = *counter;
  counted.count = *trips;
  return counted;
}

Value CountedLoop::tripNumber() const {
  return counter.start == 0 && counter.step == 1 ? body().getArgument(counter.number) : Value();
}

bool CountedLoop::isInvariant(Value value) const {
  return !op().getBody().isAncestor(value.getParentRegion());
}

std::optional<TripIndex> CountedLoop::indexOf(Value value) const {
  auto inRange = [&](std::optional<TripIndex> index) {
    // No intermediate value wraps around, in whatever type of 32 bits or more.
    constexpr int64_t kLimit = int64_t(1) << 30;
    bool fits = index && std::abs(index->first) < kLimit && std::abs(index->step) < kLimit &&
                std::abs(index->first + index->step * count) < kLimit;
    return fits ? index : std::nullopt;
  };
  auto type = typeOf(value);
  if (type.getRank() != 0 || !type.getElementType().isInteger() ||
      type.getElementTypeBitWidth() < 32)
    return std::nullopt;
  if (std::optional<APSInt> constant = scalarConstant(value))
    return constant->isRepresentableByInt64() ? inRange(TripIndex{constant->getExtValue(), 0})
                                              : std::nullopt;
  if (value == body().getArgument(counter.number)) {
    if (!counter.start.isRepresentableByInt64() || !counter.step.isRepresentableByInt64())
      return std::nullopt;
    return inRange(TripIndex{counter.start.getExtValue(), counter.step.getExtValue()});
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ConvertOp>(op) && typeOf(op->getOperand(0)).getElementType().isInteger())
    return indexOf(op->getOperand(0));
  if (!isa_and_nonnull<AddOp, SubtractOp>(op))
    return std::nullopt;
  std::optional<TripIndex> lhs = indexOf(op->getOperand(0)), rhs = indexOf(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t sign = isa<AddOp>(op) ? 1 : -1;
  return inRange(TripIndex{lhs->first + sign * rhs->first, lhs->step + sign * rhs->step});
}

std::optional<TripSlice> CountedLoop::visits(Value array, ArrayRef<int64_t> sizes,
                                             OperandRange starts) const {
  std::optional<TripSlice> slice;
  for (auto [d, size] : llvm::enumerate(typeOf(array).getShape())) {
    if (sizes[d] == size)
      continue;
    std::optional<TripIndex> index = indexOf(starts[d]);
    if (slice || sizes[d] != 1 || size != count || !index || std::abs(index->step) != 1 ||
        index->first != (index->step > 0 ? 0 : count - 1))
      return std::nullopt;
    slice = TripSlice{array, starts[d], static_cast<int64_t>(d), *index};
  }
  return slice;
}

std::optional<TripSlice> CountedLoop::sliceOf(Value value) const {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto slice = (reshape ? reshape.getOperand() : value).getDefiningOp<DynamicSliceOp>();
  if (!slice || slice->getBlock() != &body() || !isInvariant(slice.getOperand()))
    return std::nullopt;
  std::optional<TripSlice> visited =
      visits(slice.getOperand(), slice.getSliceSizes(), slice.getStartIndices());
  if (!visited || !reshape)
    return visited;
  SmallVector<int64_t> dropped(slice.getSliceSizes());
  dropped.erase(dropped.begin() + visited->dim);
  return typeOf(value).getShape() == ArrayRef(dropped) ? visited : std::nullopt;
}

std::optional<TripSlice> CountedLoop::stackedIn(unsigned number) const {
  BlockArgument old = body().getArgument(number);
  auto update = body().getTerminator()->getOperand(number).getDefiningOp<DynamicUpdateSliceOp>();
  if (!update || update->getBlock() != &body() || update.getOperand() != old || !old.hasOneUse() ||
      !update->hasOneUse() || !op().getCond().front().getArgument(number).use_empty())
    return std::nullopt;
  std::optional<TripSlice> visited =
      visits(old, typeOf(update.getUpdate()).getShape(), update.getStartIndices());
  if (visited)
    visited->array = op().getResult(number);
  return visited;
}

} // namespace systole
