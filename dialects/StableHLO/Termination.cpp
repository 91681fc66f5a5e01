// Loops that provably terminate: any other loop is a side effect, since the
// operations after it may never execute.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Comparisons.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole::stablehlo;

/// The value of a scalar constant.
static std::optional<APInt> constantOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return *elements.value_begin<APInt>();
}

/// The increment of carried value `i` in an iteration, if it is a constant.
static std::optional<APInt> stepOf(WhileOp loop, unsigned i) {
  Block &body = loop.getBody().front();
  Value carried = body.getArgument(i), next = body.getTerminator()->getOperand(i);
  if (auto add = next.getDefiningOp<AddOp>()) {
    if (add.getLhs() == carried)
      return constantOf(add.getRhs());
    if (add.getRhs() == carried)
      return constantOf(add.getLhs());
  }
  if (auto subtract = next.getDefiningOp<SubtractOp>(); subtract && subtract.getLhs() == carried)
    if (auto step = constantOf(subtract.getRhs()))
      return -*step;
  return std::nullopt;
}

/// Whether `i <direction> bound` eventually fails for an `i` that is incremented by `step`,
/// modulo 2^n. `bound` may be unknown.
static bool failsInTheEnd(ComparisonDirection direction, const APInt &step,
                          const std::optional<APInt> &bound, bool isUnsigned) {
  unsigned width = step.getBitWidth();
  if (direction == ComparisonDirection::EQ)
    return !step.isZero();
  // Steps of one reach every number.
  bool isUp = step.isOne(), isDown = step.isAllOnes();
  switch (direction) {
  case ComparisonDirection::NE:
    return isUp || isDown;
  case ComparisonDirection::LT:
    if (isUp)
      return true;
    break;
  case ComparisonDirection::GT:
    if (isDown)
      return true;
    break;
  default:
    break;
  }
  if (!bound)
    return false;
  // Other steps reach the numbers beyond the bound before they wrap around if the last
  // number that satisfies the comparison is at least a step from the end of the range.
  bool overflow = false;
  APInt last = *bound, one(width, 1);
  bool isUpward = direction == ComparisonDirection::LT || direction == ComparisonDirection::LE;
  if (isUnsigned) {
    // An unsigned number that decreases has a step near 2^n.
    APInt size = isUpward ? step : -step;
    if (size.isZero() || size.isSignBitSet())
      return false;
    if (direction == ComparisonDirection::LT || direction == ComparisonDirection::GT)
      last = isUpward ? last.usub_ov(one, overflow) : last.uadd_ov(one, overflow);
    if (overflow)
      return true; // no number satisfies it
    (void)(isUpward ? last.uadd_ov(size, overflow) : last.usub_ov(size, overflow));
    return !overflow;
  }
  if (isUpward ? !step.isStrictlyPositive() : !step.isNegative())
    return false;
  if (direction == ComparisonDirection::LT || direction == ComparisonDirection::GT)
    last = isUpward ? last.ssub_ov(one, overflow) : last.sadd_ov(one, overflow);
  if (overflow)
    return true; // no number satisfies it
  (void)last.sadd_ov(step, overflow);
  return !overflow;
}

/// Whether comparing carried value `counter` with `bound` eventually fails.
static bool failsInTheEnd(WhileOp loop, Value counter, Value bound, ComparisonDirection direction) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  auto argument = dyn_cast<BlockArgument>(counter);
  auto element = cast<RankedTensorType>(counter.getType()).getElementType();
  // i1 is excluded: addition is disjunction.
  if (!argument || argument.getOwner() != &cond || !isa<IntegerType>(element) ||
      element.isInteger(1))
    return false;
  // The bound is the same in every iteration.
  if (auto carried = dyn_cast<BlockArgument>(bound); carried && carried.getOwner() == &cond) {
    unsigned i = carried.getArgNumber();
    if (body.getTerminator()->getOperand(i) != body.getArgument(i))
      return false;
    bound = loop.getOperand()[i];
  } else if (bound.getParentBlock() == &cond && !constantOf(bound)) {
    return false;
  }
  std::optional<APInt> step = stepOf(loop, argument.getArgNumber());
  return step && failsInTheEnd(direction, *step, constantOf(bound), element.isUnsignedInteger());
}

static bool failsInTheEnd(WhileOp loop, Value condition) {
  if (auto both = condition.getDefiningOp<AndOp>())
    return failsInTheEnd(loop, both.getLhs()) || failsInTheEnd(loop, both.getRhs());
  if (auto known = constantOf(condition))
    return known->isZero();
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare)
    return false;
  ComparisonDirection direction = compare.getComparisonDirection();
  return failsInTheEnd(loop, compare.getLhs(), compare.getRhs(), direction) ||
         failsInTheEnd(loop, compare.getRhs(), compare.getLhs(), exchanged(direction));
}

void WhileOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!failsInTheEnd(*this, getCond().front().getTerminator()->getOperand(0)))
    effects.emplace_back(MemoryEffects::Write::get());
}
