// Range analysis of a program's integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Ranges.h"

#include "compiler/Legalize/Wide64/RangeTable.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using Range = llvm::ConstantRange;

/// In deeper loops loop-carried values are unbounded: each level visits its body several times.
static constexpr unsigned kMaxDepth = 4;
/// The number of visits of a body after which ranges that still change become unbounded.
static constexpr int kMaxRounds = 4;

static IntegerType integerOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : nullptr;
}

static Range all(Value value) { return Range::getFull(integerOf(value).getWidth()); }

bool IntegerRanges::isSigned(Value value) const {
  IntegerType type = integerOf(value);
  return !type.isUnsigned() && type.getWidth() > 1;
}

/// The smallest interval, in the order of the type, that contains the range.
static Range hull(const Range &range, bool isSigned) {
  if (range.isFullSet() || range.isEmptySet())
    return range;
  return isSigned ? Range::getNonEmpty(range.getSignedMin(), range.getSignedMax() + 1)
                  : Range::getNonEmpty(range.getUnsignedMin(), range.getUnsignedMax() + 1);
}

Range IntegerRanges::of(Value value) const {
  auto it = ranges.find(value);
  return it == ranges.end() ? all(value) : it->second;
}

IntegerRanges::Ranges IntegerRanges::of(ValueRange values) const {
  return llvm::map_to_vector(
      values, [&](Value value) { return integerOf(value) ? of(value) : Range::getFull(1); });
}

bool IntegerRanges::fitsInt32(Value value) const {
  Range range = of(value);
  if (!isSigned(value) && range.getUnsignedMax().isNegative())
    return false;
  return range.getSignedMin().isSignedIntN(32) && range.getSignedMax().isSignedIntN(32);
}

bool IntegerRanges::fitsUInt32(Value value) const { return of(value).getUnsignedMax().isIntN(32); }

bool IntegerRanges::isNonNegative(Value value) const {
  return !isSigned(value) || of(value).getSignedMin().isNonNegative();
}

void IntegerRanges::set(Value value, const Range &range) {
  if (!integerOf(value))
    return;
  // Unreachable code has empty ranges; any range is correct.
  Range known = range.isEmptySet() ? all(value) : hull(range, isSigned(value));
  ranges.insert_or_assign(value, known);
}

void IntegerRanges::visit(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void IntegerRanges::visit(Operation *op) {
  if (isa<WhileOp>(op))
    return visitWhile(op);
  if (isa<IfOp, CaseOp>(op))
    return visitChoice(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return visitCombination(op, reduce.getInitValues(), reduce.getInputs());
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return visitCombination(op, scatter.getInputs(), scatter.getUpdates());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visit(block);
  if (op->getNumResults() == 1 && integerOf(op->getResult(0)))
    if (std::optional<Range> range = rangeOf(op, *this))
      set(op->getResult(0), *range);
}

/// The union of `now` and `next`, with each bound that moved widened to the limit of the type.
static Range widened(const Range &now, const Range &next, bool isSigned) {
  Range joined = hull(now.unionWith(next), isSigned);
  unsigned bits = now.getBitWidth();
  if (joined.isFullSet() || joined == now)
    return joined;
  auto least = [&](const Range &r) { return isSigned ? r.getSignedMin() : r.getUnsignedMin(); };
  auto most = [&](const Range &r) { return isSigned ? r.getSignedMax() : r.getUnsignedMax(); };
  llvm::APInt low = least(joined), high = most(joined);
  if (low != least(now))
    low = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
  if (high != most(now))
    high = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getAllOnes(bits);
  return Range::getNonEmpty(low, high + 1);
}

void IntegerRanges::refine(Block &condition, Block &body, Value predicate) {
  if (auto both = predicate.getDefiningOp<AndOp>()) {
    refine(condition, body, both.getLhs());
    return refine(condition, body, both.getRhs());
  }
  auto compare = predicate.getDefiningOp<CompareOp>();
  if (!compare || !integerOf(compare.getLhs()) || integerOf(compare.getLhs()).getWidth() == 1)
    return;
  auto bound = [&](Value value, Value by, llvm::CmpInst::Predicate predicate) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &condition)
      return;
    Value inside = body.getArgument(argument.getArgNumber());
    Range allowed = Range::makeAllowedICmpRegion(predicate, of(by));
    set(inside, of(inside).intersectWith(allowed));
  };
  using llvm::CmpInst;
  bool isSignedCompare = isSigned(compare.getLhs());
  auto pick = [&](CmpInst::Predicate ifSigned, CmpInst::Predicate otherwise) {
    return isSignedCompare ? ifSigned : otherwise;
  };
  CmpInst::Predicate relation;
  switch (compare.getComparisonDirection()) {
  case ComparisonDirection::LT:
    relation = pick(CmpInst::ICMP_SLT, CmpInst::ICMP_ULT);
    break;
  case ComparisonDirection::LE:
    relation = pick(CmpInst::ICMP_SLE, CmpInst::ICMP_ULE);
    break;
  case ComparisonDirection::GT:
    relation = pick(CmpInst::ICMP_SGT, CmpInst::ICMP_UGT);
    break;
  case ComparisonDirection::GE:
    relation = pick(CmpInst::ICMP_SGE, CmpInst::ICMP_UGE);
    break;
  case ComparisonDirection::EQ:
    relation = CmpInst::ICMP_EQ;
    break;
  case ComparisonDirection::NE:
    return;
  }
  bound(compare.getLhs(), compare.getRhs(), relation);
  bound(compare.getRhs(), compare.getLhs(), CmpInst::getSwappedPredicate(relation));
}

void IntegerRanges::visitWhile(Operation *op) {
  auto loop = cast<WhileOp>(op);
  Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  auto isInteger = [&](unsigned i) { return integerOf(loop.getResult(i)) != nullptr; };
  Ranges start = of(loop.getOperands()), carried = start;
  auto run = [&](const Ranges &arguments) {
    for (auto [i, range] : llvm::enumerate(arguments)) {
      set(condition.getArgument(i), range);
      set(body.getArgument(i), range);
    }
    visit(condition);
    refine(condition, body, condition.getTerminator()->getOperand(0));
    visit(body);
    return of(body.getTerminator()->getOperands());
  };
  auto forget = [&] {
    for (unsigned i = 0; i < carried.size(); ++i)
      if (isInteger(i))
        carried[i] = all(loop.getResult(i));
  };

  ++depth;
  if (depth > kMaxDepth)
    forget();
  Ranges next = run(carried);
  for (int round = 0; depth <= kMaxDepth; ++round) {
    Ranges wider = carried;
    for (auto [i, range] : llvm::enumerate(wider))
      if (isInteger(i))
        range = widened(range, next[i], isSigned(loop.getResult(i)));
    if (wider == carried)
      break;
    carried = wider;
    if (round == kMaxRounds)
      forget();
    next = run(carried);
    if (round == kMaxRounds)
      break;
  }
  // One more iteration may tighten valid bounds.
  Ranges narrowed = carried;
  for (auto [i, range] : llvm::enumerate(narrowed))
    if (isInteger(i))
      range = hull(start[i].unionWith(next[i]), isSigned(loop.getResult(i)));
  if (narrowed != carried)
    run(narrowed);
  --depth;
  for (auto [result, range] : llvm::zip_equal(loop.getResults(), narrowed))
    set(result, range);
}

void IntegerRanges::visitChoice(Operation *choice) {
  for (Region &branch : choice->getRegions())
    visit(branch.front());
  for (auto [i, result] : llvm::enumerate(choice->getResults())) {
    if (!integerOf(result))
      continue;
    Range range = Range::getEmpty(integerOf(result).getWidth());
    for (Region &branch : choice->getRegions())
      range = range.unionWith(of(branch.front().getTerminator()->getOperand(i)));
    set(result, range);
  }
}

void IntegerRanges::visitCombination(Operation *op, ValueRange start, ValueRange added) {
  Block &body = op->getRegion(0).front();
  size_t count = op->getNumResults();
  Ranges known;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto fits = [&](Value value) { return integerOf(value) == integerOf(result); };
    known.push_back(!integerOf(result)                 ? Range::getFull(1)
                    : fits(start[i]) && fits(added[i]) ? of(start[i]).unionWith(of(added[i]))
                                                       : all(result));
  }
  for (bool isSettled = false; !isSettled;) {
    for (size_t i = 0; i < count; ++i) {
      set(body.getArgument(i), known[i]);
      set(body.getArgument(count + i), known[i]);
    }
    visit(body);
    Ranges next = of(body.getTerminator()->getOperands());
    isSettled = true;
    for (size_t i = 0; i < count; ++i) {
      Value result = op->getResult(i);
      if (!integerOf(result) || hull(known[i], isSigned(result)).contains(next[i]))
        continue;
      known[i] = all(result);
      isSettled = false;
    }
  }
  for (auto [result, range] : llvm::zip_equal(op->getResults(), known))
    set(result, range);
}

} // namespace systole::wide64
