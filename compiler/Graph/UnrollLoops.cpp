// Unrolls short counted loops over elementwise work.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/Passes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "compiler/Graph/Passes.h.inc"

namespace {

using stablehlo::WhileOp;

/// The most operations, constants not counted, that take the place of a loop. The 20 rounds of a
/// Threefry generator have 300.
constexpr int64_t kMostOperations = 512;

/// The value of an integer constant of rank 0, as its type represents it; nothing for others.
std::optional<APSInt> scalarConstant(Value value) {
  DenseIntElementsAttr attr;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return APSInt(*attr.value_begin<APInt>(), type.getElementType().isUnsignedInteger());
}

/// A loop that runs while its counter, which starts at `start` and grows by `step`, compares to
/// `bound` as `direction` says.
struct Counter {
  APSInt start, step, bound;
  stablehlo::ComparisonDirection direction;

  /// How often the body runs; nothing if that is more than `most` times.
  std::optional<int64_t> count(int64_t most) const {
    APSInt value = start;
    for (int64_t trips = 0; trips <= most; ++trips) {
      if (!continues(value))
        return trips;
      value += step;
    }
    return std::nullopt;
  }

private:
  bool continues(const APSInt &value) const {
    using Direction = stablehlo::ComparisonDirection;
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
};

/// The counter that alone decides how often `loop` runs, if there is one.
std::optional<Counter> counterOf(WhileOp loop) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  auto compare = cond.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare->getBlock() != &cond)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  std::optional<APSInt> bound = scalarConstant(compare.getRhs());
  if (!counter || counter.getOwner() != &cond || !bound)
    return std::nullopt;
  unsigned number = counter.getArgNumber();
  auto next = body.getTerminator()->getOperand(number).getDefiningOp<stablehlo::AddOp>();
  if (!next)
    return std::nullopt;
  Value old = body.getArgument(number);
  Value added = next.getLhs() == old ? next.getRhs() : next.getLhs();
  std::optional<APSInt> start = scalarConstant(loop.getOperand()[number]);
  std::optional<APSInt> step = scalarConstant(added);
  if (!start || !step || (next.getLhs() != old && next.getRhs() != old))
    return std::nullopt;
  return Counter{*start, *step, *bound, compare.getComparisonDirection()};
}

/// Whether a kernel can hold the operation of one iteration together with those of the next.
bool isStreaming(Operation *op) {
  switch (kindOf(op)) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Elementwise:
  case OpKind::Broadcast:
  case OpKind::Reshape:
  case OpKind::Movement:
    return op->getNumRegions() == 0;
  default:
    return false;
  }
}

void unroll(WhileOp loop) {
  std::optional<Counter> counter = counterOf(loop);
  if (!counter)
    return;
  auto operations = loop.getBody().front().without_terminator();
  if (!llvm::all_of(operations, [](Operation &op) { return isStreaming(&op); }))
    return;
  int64_t perTrip =
      llvm::count_if(operations, [](Operation &op) { return kindOf(&op) != OpKind::Constant; });
  std::optional<int64_t> trips = counter->count(kMostOperations / std::max<int64_t>(perTrip, 1));
  if (!trips)
    return;

  OpBuilder builder(loop);
  Block &body = loop.getBody().front();
  SmallVector<Value> carried(loop.getOperand());
  for (int64_t trip = 0; trip < *trips; ++trip) {
    IRMapping names;
    names.map(body.getArguments(), carried);
    for (Operation &op : operations)
      builder.clone(op, names);
    for (auto [value, next] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
      value = names.lookupOrDefault(next);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

struct UnrollLoops : impl::UnrollLoopsBase<UnrollLoops> {
  void runOnOperation() override {
    // Inner loops first, without which an outer one may be unrolled.
    getOperation().walk<WalkOrder::PostOrder>([](WhileOp loop) { unroll(loop); });
  }
};

} // namespace
} // namespace systole
