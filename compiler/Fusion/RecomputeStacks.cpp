// Recomputes what a loop stacks from other stacks, where their rows are read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Model/OpCosts.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Stacks.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RECOMPUTESTACKS
#include "compiler/Fusion/Passes.h.inc"

namespace {

using namespace stablehlo;

/// An array that a loop stacks, and what becomes a position of it.
struct Stacked {
  unsigned number;
  TripSlice slice;
  Value row;
};

class StackedValues {
public:
  StackedValues(const CountedLoop &loop, const MachineModel &model) : loop(loop), model(model) {
    for (unsigned i = 0; i < loop.body().getNumArguments(); ++i)
      if (std::optional<TripSlice> slice = loop.stackedIn(i))
        if (Value row = stackedRow(loop, i, *slice))
          stacks.try_emplace(row, Stacked{i, *slice, row});
  }

  void run() {
    // Those that depend on others first: then nothing is recomputed from what goes itself.
    for (auto &[row, stack] : llvm::reverse(stacks))
      if (isRecomputed(stack))
        recompute(stack);
  }

private:
  static bool isConstant(Value value) {
    Operation *op = value.getDefiningOp();
    auto broadcast = dyn_cast_or_null<BroadcastInDimOp>(op);
    return isSplatConstant(broadcast ? broadcast.getOperand().getDefiningOp() : op);
  }

  /// Collects the operations and the stacks from which `value` follows, in order.
  bool collect(Value value, const Stacked &stack, llvm::SetVector<Operation *> &ops,
               llvm::SetVector<Value> &leaves) const {
    if (isConstant(value))
      return true;
    auto it = stacks.find(value);
    if (it != stacks.end() && value != stack.row && it->second.slice.index == stack.slice.index &&
        it->second.slice.dim == stack.slice.dim &&
        typeOf(it->second.slice.array).getShape() == typeOf(stack.slice.array).getShape()) {
      leaves.insert(value);
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &loop.body() || kindOf(op) != OpKind::Elementwise ||
        op->getNumRegions() != 0)
      return false;
    if (ops.contains(op))
      return true;
    for (Value operand : op->getOperands())
      if (typeOf(operand).getShape() != typeOf(value).getShape() ||
          !collect(operand, stack, ops, leaves))
        return false;
    ops.insert(op);
    return true;
  }

  /// The slice of the stack of `leaf` that stands beside `slice`, one of another stack at the same
  /// position.
  DynamicSliceOp sliceBeside(Value leaf, DynamicSliceOp slice) const {
    for (Operation *user : stacks.find(leaf)->second.slice.array.getUsers())
      if (auto other = dyn_cast<DynamicSliceOp>(user))
        if (other->getBlock() == slice->getBlock() &&
            llvm::equal(other.getStartIndices(), slice.getStartIndices()) &&
            other.getSliceSizes() == slice.getSliceSizes())
          return other;
    return nullptr;
  }

  /// Whether all readers of the array take slices where they take those of what it follows from,
  /// and to compute these costs less than to move them.
  bool isRecomputed(const Stacked &stack) const {
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> leaves;
    if (!collect(stack.row, stack, ops, leaves) || leaves.empty())
      return false;
    double readers = 0;
    for (Operation *user : stack.slice.array.getUsers()) {
      auto slice = dyn_cast<DynamicSliceOp>(user);
      if (!slice || user->getParentOp() == loop.op()->getParentOp() ||
          !llvm::all_of(leaves, [&](Value leaf) { return sliceBeside(leaf, slice); }))
        return false;
      ++readers;
    }
    double elements = double(typeOf(stack.row).getNumElements());
    double moved = model.channel(double(bytesOf(typeOf(stack.row))), 1), computed = 0;
    for (Operation *op : ops) {
      OpCost cost = opCost(op);
      if (cost.trips > 0)
        return false;
      computed += model.vectorCycles(model.arithmetic(cost.all, cost.chain)) * elements /
                  double(kSublanes * kLanes);
    }
    return readers > 0 && computed * readers < moved * (1 + readers);
  }

  void recompute(const Stacked &stack) {
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> leaves;
    collect(stack.row, stack, ops, leaves);
    for (Operation *user : llvm::to_vector(stack.slice.array.getUsers())) {
      auto slice = cast<DynamicSliceOp>(user);
      OpBuilder b(slice);
      IRMapping names;
      for (Value leaf : leaves) {
        // It may stand behind this one; equal ones become one.
        Value beside = b.clone(*sliceBeside(leaf, slice))->getResult(0);
        names.map(leaf, ReshapeOp::create(b, slice.getLoc(), typeOf(leaf), beside).getResult());
      }
      for (Operation *op : ops) {
        for (Value operand : op->getOperands())
          if (!names.contains(operand))
            names.map(operand, constant(b, operand));
        b.clone(*op, names);
      }
      Value row = names.lookup(stack.row);
      for (Operation *reader : llvm::to_vector(slice->getUsers()))
        if (auto reshape = dyn_cast<ReshapeOp>(reader);
            reshape && reshape.getType() == row.getType()) {
          reshape.replaceAllUsesWith(row);
          reshape.erase();
        }
      if (!slice->use_empty())
        slice.replaceAllUsesWith(
            ReshapeOp::create(b, slice.getLoc(), slice.getType(), row).getResult());
      slice.erase();
    }
    loop.body().getTerminator()->setOperand(stack.number, loop.body().getArgument(stack.number));
  }

  static Value constant(OpBuilder &b, Value value) {
    Operation *op = value.getDefiningOp();
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
      op = broadcast.getOperand().getDefiningOp();
    auto splat = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
    return ConstantOp::create(b, value.getLoc(), splat.resizeSplat(typeOf(value)));
  }

  CountedLoop loop;
  const MachineModel &model;
  llvm::MapVector<Value, Stacked> stacks;
};

struct RecomputeStacks : impl::RecomputeStacksBase<RecomputeStacks> {
  void rewrite() override {
    const MachineModel &model = getAnalysis<MachineAnalysis>().model();
    getOperation()->walk<WalkOrder::PostOrder>([&](WhileOp op) {
      std::optional<CountedLoop> loop = CountedLoop::of(op);
      if (loop && loop->trips() > 1)
        StackedValues(*loop, model).run();
    });
  }
};

} // namespace
} // namespace systole
