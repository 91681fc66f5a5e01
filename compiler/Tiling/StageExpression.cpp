// Elementwise expressions over tensors as the bodies of map and reduce stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageExpression.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Relations/OperandRelation.h"
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

SmallVector<ExpressionBuilder::Access> ExpressionBuilder::operandsOf(Access access) const {
  auto [value, map] = access;
  if (scalars.contains(value))
    return {};
  Operation *op = value.getDefiningOp();
  OperandRelation relation = *relationOf(op);
  SmallVector<Access> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap indices = relation.mapOf(operand.getOperandNumber(), value.getContext());
    operands.push_back({read(operand), indices.compose(map)});
  }
  return operands;
}

void ExpressionBuilder::collect(ArrayRef<Value> values, AffineMap map) {
  root = map;
  SmallVector<Access> worklist;
  for (Value value : llvm::reverse(values))
    worklist.push_back({value, map});
  while (!worklist.empty()) {
    Access access = worklist.pop_back_val();
    if (isLeaf(access.first)) {
      leaves.insert(access);
      continue;
    }
    if (!visited.insert(access).second)
      continue;
    if (auto iota = access.first.getDefiningOp<stablehlo::IotaOp>())
      if (auto axis = axisOf(iota); axis && !first.contains(*axis)) {
        Value blockSize =
            arith::ConstantIntOp::create(b, iota.getLoc(), blocking.cuts[*axis].blockSize, 32);
        first[*axis] = arith::MulIOp::create(b, iota.getLoc(), steps[*axis], blockSize);
      }
    SmallVector<Access> operands = operandsOf(access);
    worklist.append(operands.rbegin(), operands.rend());
  }
}

std::optional<size_t> ExpressionBuilder::axisOf(stablehlo::IotaOp op) const {
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts))
    if (cut.dimOf(op.getResult()) == static_cast<int64_t>(op.getIotaDimension()))
      return axis;
  return std::nullopt;
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

void ExpressionBuilder::emitBody(Region &body, ArrayRef<Value> values, Location loc) {
  Block &block = body.emplaceBlock();
  for (const Access &leaf : leaves)
    emitted[leaf] = block.addArgument(scalarType(leaf.first), loc);
  b.setInsertionPointToEnd(&block);
  SmallVector<Value> results;
  for (Value value : values)
    results.push_back(emit({value, root}));
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
    } else if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)) {
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
  if (auto axis = axisOf(op))
    add(kernel::ScalarOp::create(b, loc, indexType, first.lookup(*axis)));
  if (typeOf(op).getElementType() == b.getI32Type())
    return index;
  return stablehlo::ConvertOp::create(b, loc, scalarType(op), index);
}

} // namespace systole
