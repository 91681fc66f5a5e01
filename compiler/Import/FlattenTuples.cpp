// Replaces tuples by their elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "compiler/Import/Vhlo/Tuples.h"
#include "dialects/StableHLO/Imported.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FLATTENTUPLES
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

bool hasTuples(TypeRange types) { return llvm::any_of(types, llvm::IsaPred<TupleType>); }

/// Appends the leaves of a value, in order.
void takeApart(OpBuilder &b, Value value, SmallVectorImpl<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple)
    return leaves.push_back(value);
  for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
    takeApart(b, GetTupleElementOp::create(b, value.getLoc(), type, value, i), leaves);
}

SmallVector<Value> takeApart(OpBuilder &b, ValueRange values) {
  SmallVector<Value> leaves;
  for (Value value : values)
    takeApart(b, value, leaves);
  return leaves;
}

/// A value of `type` from the first leaves, which are dropped.
Value putTogether(OpBuilder &b, Location loc, Type type, ValueRange &leaves) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    Value leaf = leaves.front();
    leaves = leaves.drop_front();
    return leaf;
  }
  SmallVector<Value> parts;
  for (Type part : tuple.getTypes())
    parts.push_back(putTogether(b, loc, part, leaves));
  return TupleOp::create(b, loc, tuple, parts);
}

class Flattener {
public:
  Flattener() { tuples.isKept = false; }

  LogicalResult flatten(func::FuncOp function);
  LogicalResult flatten(Operation *op);

private:
  /// A few nested tuples could have any number of elements.
  LogicalResult leavesOf(Operation *op, TypeRange types, SmallVectorImpl<Type> &leaves) {
    for (Type type : types) {
      if (tuples.count(type) > Tuples::kMaxElements)
        return op->emitError() << "a tuple of more than " << Tuples::kMaxElements << " elements";
      tuples.append(type, leaves);
    }
    return success();
  }

  Tuples tuples;
};

LogicalResult Flattener::flatten(func::FuncOp function) {
  if (!hasTuples(function.getArgumentTypes()) && !hasTuples(function.getResultTypes()))
    return success();
  SmallVector<Type> inputs, results;
  if (failed(leavesOf(function, function.getArgumentTypes(), inputs)) ||
      failed(leavesOf(function, function.getResultTypes(), results)))
    return failure();
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  auto keep = [&](Type type, DictionaryAttr attributes, SmallVectorImpl<DictionaryAttr> &kept) {
    if (isa<TupleType>(type) && attributes && !attributes.empty())
      return failure();
    kept.append(tuples.count(type),
                attributes ? attributes : DictionaryAttr::get(function.getContext()));
    return success();
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(keep(type, function.getArgAttrDict(i), argumentAttributes)))
      return emitUnimplemented(function)
             << "attributes of a tuple are not supported: argument " << i;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(keep(type, function.getResultAttrDict(i), resultAttributes)))
      return emitUnimplemented(function) << "attributes of a tuple are not supported: result " << i;
  function.setType(FunctionType::get(function.getContext(), inputs, results));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
  if (function.isExternal())
    return success();
  Block &block = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  SmallVector<BlockArgument> old(block.getArguments());
  for (BlockArgument argument : old) {
    SmallVector<Type> leaves;
    tuples.append(argument.getType(), leaves);
    block.addArguments(leaves, SmallVector<Location>(leaves.size(), argument.getLoc()));
  }
  ValueRange leaves = block.getArguments().drop_front(old.size());
  for (BlockArgument argument : old)
    argument.replaceAllUsesWith(putTogether(b, argument.getLoc(), argument.getType(), leaves));
  block.eraseArguments(0, old.size());
  return success();
}

LogicalResult Flattener::flatten(Operation *op) {
  if (isa<TupleOp, GetTupleElementOp>(op) ||
      !(hasTuples(op->getOperandTypes()) || hasTuples(op->getResultTypes())))
    return success();
  if (!isa<func::CallOp, func::ReturnOp, ReturnOp, CustomCallOp>(op))
    return emitUnimplemented(op) << "'" << op->getName() << "' on tuples is not supported";
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(takeApart(b, op->getOperands()));
  SmallVector<Type> results;
  if (failed(leavesOf(op, op->getResultTypes(), results)))
    return failure();
  state.addTypes(results);
  state.addAttributes(op->getAttrs());
  // These count elements of tuples, and are a hint.
  if (isa<CustomCallOp>(op))
    state.attributes.erase("output_operand_aliases");
  Operation *made = b.create(state);
  ValueRange leaves = made->getResults();
  for (Value result : op->getResults())
    result.replaceAllUsesWith(putTogether(b, op->getLoc(), result.getType(), leaves));
  op->erase();
  return success();
}

/// Replaces elements of tuples by the values that these were made of, and removes the tuples.
LogicalResult forward(ModuleOp module) {
  SmallVector<TupleOp> made;
  WalkResult walk = module.walk([&](Operation *op) {
    if (auto tuple = dyn_cast<TupleOp>(op))
      made.push_back(tuple);
    auto element = dyn_cast<GetTupleElementOp>(op);
    if (!element)
      return WalkResult::advance();
    auto tuple = element.getOperand().getDefiningOp<TupleOp>();
    if (!tuple) {
      emitUnimplemented(op) << "an element of a tuple that no operation made is not supported";
      return WalkResult::interrupt();
    }
    element.replaceAllUsesWith(tuple.getValues()[element.getIndex()]);
    element.erase();
    return WalkResult::advance();
  });
  for (TupleOp tuple : llvm::reverse(made))
    if (tuple.use_empty())
      tuple.erase();
  return failure(walk.wasInterrupted());
}

struct FlattenTuples : impl::FlattenTuplesBase<FlattenTuples> {
  void rewrite() override {
    Flattener flattener;
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (failed(function ? flattener.flatten(function) : flattener.flatten(op)))
        return signalPassFailure();
    }
    if (failed(forward(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
