// Elementwise expressions over tensors as the bodies of map and reduce stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageExpression.h"

#include "compiler/Relations/OperandRelation.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

namespace {

Type scalarType(Value value) {
  auto buffer = dyn_cast<kernel::BufferType>(value.getType());
  return RankedTensorType::get({},
                               buffer ? buffer.getElementType() : typeOf(value).getElementType());
}

} // namespace

AffineMap shiftedBy(AffineMap map, ArrayRef<int64_t> offsets) {
  if (llvm::all_of(offsets, [](int64_t offset) { return offset == 0; }))
    return map;
  SmallVector<AffineExpr> results;
  for (auto [expr, offset] : llvm::zip_equal(map.getResults(), offsets))
    results.push_back(expr + offset);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

ExpressionBuilder::Access ExpressionBuilder::accessOf(OpOperand &operand, AffineMap map) const {
  AffineMap indices =
      relationOf(operand.getOwner())->mapOf(operand.getOperandNumber(), map.getContext());
  return {read(operand), shiftedBy(indices.compose(map), blocking.slackOf(operand))};
}

ExpressionBuilder::Access ExpressionBuilder::accessOfElement(Value element, AffineMap map) const {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument)
    return {element, map};
  Operation *op = argument.getOwner()->getParentOp();
  return accessOf(op->getOpOperand(argument.getArgNumber()), map);
}

SmallVector<ExpressionBuilder::Access> ExpressionBuilder::operandsOf(Access access) const {
  auto [value, map] = access;
  if (scalars.contains(value))
    return {};
  Operation *op = value.getDefiningOp();
  if (auto elementwise = dyn_cast<kernel::ElementwiseOp>(op))
    return {accessOfElement(elementwise.elementOf(cast<OpResult>(value)), map)};
  SmallVector<Access> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(isa<kernel::ElementwiseOp>(op->getParentOp())
                           ? accessOfElement(operand.get(), map)
                           : accessOf(operand, map));
  return operands;
}

void ExpressionBuilder::collect(ArrayRef<Access> values) {
  roots.assign(values.begin(), values.end());
  SmallVector<Access> worklist(llvm::reverse(values));
  while (!worklist.empty()) {
    Access access = worklist.pop_back_val();
    if (isLeaf(access.first)) {
      leaves.insert(access);
      continue;
    }
    if (!visited.insert(access).second)
      continue;
    if (auto iota = access.first.getDefiningOp<stablehlo::IotaOp>();
        iota && !first.contains(access.first))
      first[access.first] = firstOf(iota);
    SmallVector<Access> operands = operandsOf(access);
    worklist.append(operands.rbegin(), operands.rend());
  }
}

Value ExpressionBuilder::firstOf(stablehlo::IotaOp op) {
  auto dim = static_cast<int64_t>(op.getIotaDimension());
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts)) {
    const Span *halo = cut.haloOf(op.getResult());
    if (halo ? halo->dim != dim : cut.dimOf(op.getResult()) != dim)
      continue;
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(b, op.getLoc(), value, 32);
    };
    Value stride = constant(halo ? halo->stride(cut.blockSize) : cut.blockOf(op.getResult()));
    Value begin = arith::MulIOp::create(b, op.getLoc(), steps[axis], stride);
    if (!halo || halo->offset == 0)
      return begin;
    return arith::AddIOp::create(b, op.getLoc(), begin, constant(halo->offset));
  }
  return nullptr;
}

SmallVector<Value> ExpressionBuilder::inputs() const {
  return llvm::map_to_vector(leaves, [&](const Access &leaf) {
    Value buffer = buffers.lookup(leaf.first);
    return buffer ? buffer : leaf.first;
  });
}

ArrayAttr ExpressionBuilder::maps(OpBuilder &builder) const {
  return builder.getAffineMapArrayAttr(
      llvm::map_to_vector(leaves, [](const Access &leaf) { return leaf.second; }));
}

void ExpressionBuilder::emitBody(Region &body, Location loc) {
  Block &block = body.emplaceBlock();
  for (const Access &leaf : leaves)
    emitted[leaf] = block.addArgument(scalarType(leaf.first), loc);
  b.setInsertionPointToEnd(&block);
  SmallVector<Value> results;
  for (const Access &root : roots)
    results.push_back(emit(root));
  kernel::YieldOp::create(b, loc, results);
}

Value ExpressionBuilder::emit(Access access) {
  if (Value value = emitted.lookup(access))
    return value;
  // Operands first, without recursion: expressions can be thousands deep.
  SmallVector<Access> stack = {access};
  while (!stack.empty()) {
    Access top = stack.back();
    if (emitted.contains(top)) {
      stack.pop_back();
      continue;
    }
    SmallVector<Access> operands = operandsOf(top);
    bool ready = true;
    for (const Access &operand : operands)
      if (!emitted.contains(operand)) {
        stack.push_back(operand);
        ready = false;
      }
    if (!ready)
      continue;
    stack.pop_back();
    if (scalars.contains(top.first)) {
      emitted[top] = emitScalarElement(top.first);
      continue;
    }
    Operation *op = top.first.getDefiningOp();
    auto operandValues = llvm::map_to_vector(
        operands, [&](const Access &operand) { return emitted.lookup(operand); });
    if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
      emitted[top] = emitIota(iota, top.second);
    } else if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      emitted[top] = stablehlo::ConstantOp::create(
          b, op->getLoc(), value.resizeSplat(cast<ShapedType>(scalarType(top.first))));
    } else if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, kernel::ElementwiseOp>(op)) {
      emitted[top] = operandValues.front();
    } else {
      OperationState state(op->getLoc(), op->getName());
      state.addOperands(operandValues);
      state.addTypes(scalarType(top.first));
      state.addAttributes(op->getAttrs());
      emitted[top] = b.create(state)->getResult(0);
    }
  }
  return emitted.lookup(access);
}

Value ExpressionBuilder::emitScalarElement(Value value) {
  Location loc = value.getLoc();
  auto word = RankedTensorType::get({}, b.getI32Type());
  Value element = kernel::ScalarOp::create(b, loc, word, scalars.lookup(value));
  if (scalarType(value) == word)
    return element;
  return stablehlo::ConvertOp::create(b, loc, scalarType(value), element);
}

Value ExpressionBuilder::emitIota(stablehlo::IotaOp op, AffineMap map) {
  Location loc = op.getLoc();
  int64_t dim = op.getIotaDimension();
  auto indexType = RankedTensorType::get({}, b.getI32Type());
  kernel::LinearIndex along = *kernel::linearIndexOf(map.getResult(dim));
  Value index;
  auto add = [&](Value term) {
    index = index ? stablehlo::AddOp::create(b, loc, index, term).getResult() : term;
  };
  if (along.dim)
    add(kernel::IndexOp::create(b, loc, indexType, *along.dim));
  // Of one chunk of the block, where that begins.
  if (along.offset != 0 || !along.dim)
    add(stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(indexType,
                               b.getI32IntegerAttr(static_cast<int32_t>(along.offset)))));
  // The index counts within the block; the grid step says where that begins.
  if (Value begin = first.lookup(op.getResult()))
    add(kernel::ScalarOp::create(b, loc, indexType, begin));
  if (typeOf(op).getElementType() == b.getI32Type())
    return index;
  return stablehlo::ConvertOp::create(b, loc, scalarType(op), index);
}

} // namespace systole
