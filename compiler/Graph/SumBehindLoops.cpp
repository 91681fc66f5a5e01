// Sums the products that a loop accumulates behind it, as one product.
// See docs/decisions/program-loops.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/Observers.h"
#include "compiler/Tensor/Stacks.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SUMBEHINDLOOPS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// A loop-carried value to which each trip adds what `root`, a product or a sum, gives, or a part
/// of it.
struct Accumulator {
  unsigned number; ///< of the loop-carried value
  AddOp add;
  Value addend;
  Operation *root;
};

bool isMoved(Operation *op) { return isa<SliceOp, TransposeOp, ReshapeOp>(op); }

/// A sum that starts at zero.
bool isPlainSum(ReduceOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().size() == 1 && !op->hasAttr(kernel::kOrderAttr) &&
         isZero(op.getInitValues().front()) && llvm::hasSingleElement(body.without_terminator()) &&
         isa<AddOp>(body.front()) &&
         body.getTerminator()->getOperand(0) == body.front().getResult(0) &&
         body.front().getOperand(0) != body.front().getOperand(1);
}

bool isRoot(Operation *op) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
  };
  if (!llvm::all_of(op->getOperandTypes(), isFloat))
    return false;
  auto sum = dyn_cast<ReduceOp>(op);
  return isa<DotGeneralOp>(op) || (sum && isPlainSum(sum));
}

std::optional<Accumulator> accumulatorOf(const CountedLoop &loop, unsigned number,
                                         const Observers &observers) {
  BlockArgument old = loop.body().getArgument(number);
  auto add = loop.body().getTerminator()->getOperand(number).getDefiningOp<AddOp>();
  if (!add || add->getBlock() != &loop.body() || !observers.hasOneUse(add) ||
      !observers.hasOneUse(old) || !loop.op().getCond().front().getArgument(number).use_empty() ||
      (add.getLhs() == old) == (add.getRhs() == old))
    return std::nullopt;
  Value addend = add.getLhs() == old ? add.getRhs() : add.getLhs();
  Operation *root = addend.getDefiningOp();
  while (root && isMoved(root))
    root = root->getOperand(0).getDefiningOp();
  if (!root || root->getBlock() != &loop.body() || !isRoot(root))
    return std::nullopt;
  return Accumulator{number, add, addend, root};
}

/// Whether nothing but `adds` is computed from `value`.
bool feedsOnly(Value value, const llvm::SmallPtrSetImpl<Operation *> &adds,
               const Observers &observers) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return adds.contains(user) || observers.contains(user) ||
           (isMoved(user) && feedsOnly(user->getResult(0), adds, observers));
  });
}

SmallVector<int64_t> behindTrips(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t d) { return d + 1; });
}

/// The products of one loop that move behind it.
class LoopSums {
public:
  LoopSums(const CountedLoop &loop, const Observers &observers)
      : loop(loop), observers(observers), stacks(loop) {}

  void run() {
    collect();
    // Products first: sums move only where their operand is stacked anyway.
    for (bool products : {true, false})
      for (auto &[root, accumulators] : sums)
        if (isa<DotGeneralOp>(root) == products && canStack(root, accumulators))
          moved.push_back(root);
    if (moved.empty())
      return;
    WhileOp op = stacks.build();
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    for (Operation *root : moved)
      moveBehind(b, op, root);
  }

private:
  void collect() {
    llvm::SmallPtrSet<Operation *, 8> adds;
    SmallVector<Accumulator> all;
    for (unsigned i = 0; i < loop.op().getNumOperands(); ++i)
      if (std::optional<Accumulator> found = accumulatorOf(loop, i, observers)) {
        adds.insert(found->add);
        all.push_back(*found);
      }
    for (Accumulator &accumulator : all)
      if (feedsOnly(accumulator.root->getResult(0), adds, observers))
        sums[accumulator.root].push_back(accumulator);
  }

  /// Requests the stacks of a root's operands, if they take no more than the accumulators of which
  /// each trip reads and writes all.
  bool canStack(Operation *root, ArrayRef<Accumulator> accumulators) {
    int64_t bytes = 0;
    for (const Accumulator &accumulator : accumulators)
      bytes += bytesOf(typeOf(accumulator.addend));
    if (auto dot = dyn_cast<DotGeneralOp>(root))
      return stacks.request({dot.getLhs(), dot.getRhs()}, bytes);
    return stacks.request({root->getOperand(0)}, 0);
  }

  Value stackedRoot(OpBuilder &b, Operation *root) {
    auto dot = dyn_cast<DotGeneralOp>(root);
    if (!dot) {
      auto sum = cast<ReduceOp>(root);
      SmallVector<int64_t> dims = behindTrips(sum.getDimensions());
      dims.insert(dims.begin(), 0);
      RankedTensorType scalar = typeOf(sum.getInitValues().front());
      Value zero =
          ConstantOp::create(b, root->getLoc(), cast<DenseElementsAttr>(b.getZeroAttr(scalar)));
      auto all = ReduceOp::create(b, root->getLoc(), sum.getResultTypes(),
                                  ValueRange{stacks.read(b, sum.getInputs().front())},
                                  ValueRange{zero}, dims);
      sum.getBody().cloneInto(&all.getBody(), names);
      return all.getResult(0);
    }
    SmallVector<int64_t> lhs = behindTrips(dot.getLhsContractingDims());
    SmallVector<int64_t> rhs = behindTrips(dot.getRhsContractingDims());
    lhs.insert(lhs.begin(), 0);
    rhs.insert(rhs.begin(), 0);
    auto numbers =
        DotDimensionNumbersAttr::get(b.getContext(), behindTrips(dot.getLhsBatchingDims()),
                                     behindTrips(dot.getRhsBatchingDims()), lhs, rhs);
    return DotGeneralOp::create(b, root->getLoc(), typeOf(dot), stacks.read(b, dot.getLhs()),
                                stacks.read(b, dot.getRhs()), numbers, dot.getPrecisionConfigAttr(),
                                dot.getAlgorithmAttr());
  }

  /// `value`, a part of a moved root, behind the loop.
  Value behind(OpBuilder &b, Value value) {
    if (Value known = names.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    behind(b, op->getOperand(0));
    return b.clone(*op, names)->getResult(0);
  }

  void moveBehind(OpBuilder &b, WhileOp op, Operation *root) {
    names.map(root->getResult(0), stackedRoot(b, root));
    for (Accumulator &accumulator : sums[root]) {
      Value total = behind(b, accumulator.addend), start = op.getOperand()[accumulator.number];
      if (!isZero(start))
        total = AddOp::create(b, accumulator.add.getLoc(), start, total);
      op.getResult(accumulator.number).replaceAllUsesWith(total);
      Block &body = op.getBody().front();
      BlockArgument old = body.getArgument(accumulator.number);
      // Taps see what each trip adds to.
      if (accumulator.add->hasOneUse() && old.hasOneUse())
        body.getTerminator()->setOperand(accumulator.number, old);
    }
  }

  CountedLoop loop;
  const Observers &observers;
  Stacks stacks;
  llvm::MapVector<Operation *, SmallVector<Accumulator>> sums;
  SmallVector<Operation *> moved;
  IRMapping names;
};

struct SumBehindLoops : impl::SumBehindLoopsBase<SumBehindLoops> {
  void rewrite() override {
    const Observers observers(getOperation());
    // Inner loops first: their products behind them may be accumulated by outer ones.
    getOperation().walk<WalkOrder::PostOrder>([&](WhileOp op) {
      std::optional<CountedLoop> loop = CountedLoop::of(op);
      if (loop && loop->trips() > 1)
        LoopSums(*loop, observers).run();
    });
  }
};

} // namespace
} // namespace systole
