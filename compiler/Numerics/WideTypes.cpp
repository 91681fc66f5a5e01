// A program, or one of its operations, in wider floating-point types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Numerics/WideTypes.h"

#include "dialects/CHLO/CHLO.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/Imported.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace systole::numerics {

using namespace stablehlo;

bool isControlFlow(Operation *op) { return isa<WhileOp, IfOp, CaseOp>(op); }

static void number(Block &block, SmallVectorImpl<Operation *> &numbered) {
  for (Operation &op : block.without_terminator()) {
    numbered.push_back(&op);
    if (!isControlFlow(&op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner, numbered);
  }
}

SmallVector<Operation *> numberedOperations(Operation *root) {
  SmallVector<Operation *> numbered;
  root->walk([&](func::FuncOp function) {
    for (Block &block : function.getBody())
      number(block, numbered);
  });
  return numbered;
}

Type WideTypes::widened(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  auto element = [&](Type narrow) -> Type {
    auto real = dyn_cast<FloatType>(narrow);
    Type widest = wide;
    return real && real.getWidth() < cast<FloatType>(widest).getWidth() ? widest : narrow;
  };
  if (auto complex = dyn_cast<ComplexType>(tensor.getElementType()))
    return tensor.clone(ComplexType::get(element(complex.getElementType())));
  return tensor.clone(element(tensor.getElementType()));
}

Value WideTypes::convert(OpBuilder &b, Location loc, Value value, Type type) const {
  return value.getType() == type ? value : ConvertOp::create(b, loc, type, value).getResult();
}

/// Operations whose meaning depends on the bits of their operands or results, and those whose
/// attributes have their types.
bool WideTypes::isNarrow(Operation &op) const {
  if (taps.contains(&op) || isControlFlow(&op) || isa<stablehlo::ReturnOp>(op))
    return false;
  if (isa<BitcastConvertOp, ConstantOp, chlo::ConstantOp, RngOp, RngBitGeneratorOp, CustomCallOp,
          CompositeOp, UniformQuantizeOp, UniformDequantizeOp>(op))
    return true;
  auto isQuantized = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<quant::QuantizedType>(tensor.getElementType());
  };
  return !isa<StableHLODialect, chlo::CHLODialect, func::FuncDialect>(op.getDialect()) ||
         llvm::any_of(op.getOperandTypes(), isQuantized) ||
         llvm::any_of(op.getResultTypes(), isQuantized);
}

static bool isProduct(Operation &op) {
  return isa<DotGeneralOp, DotOp, ConvolutionOp, EinsumOp, chlo::RaggedDotOp>(op);
}

bool WideTypes::changes(Operation *op) const {
  if (isNarrow(*op) || isControlFlow(op))
    return false;
  if (isa<ReducePrecisionOp>(op))
    return true;
  auto isWide = [&](Type type) { return widened(type) == type; };
  const bool hasFloats = llvm::any_of(
      op->getOperandTypes(), [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  return !llvm::all_of(op->getOperandTypes(), isWide) ||
         !llvm::all_of(op->getResultTypes(), isWide) || (isProduct(*op) && hasFloats);
}

Value WideTypes::wideOf(OpBuilder &b, Value value, IRMapping &map) const {
  if (Value known = map.lookupOrNull(value))
    return known;
  return convert(b, value.getLoc(), value, widened(value.getType()));
}

void WideTypes::cloneNarrow(OpBuilder &b, Operation &op, IRMapping &map) const {
  IRMapping narrow;
  for (Value operand : op.getOperands())
    narrow.map(operand, convert(b, op.getLoc(), wideOf(b, operand, map), operand.getType()));
  // Values defined outside that its regions use.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  for (Value value : captured)
    narrow.map(value, convert(b, op.getLoc(), wideOf(b, value, map), value.getType()));
  Operation *copy = b.clone(op, narrow);
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults()))
    map.map(from, convert(b, op.getLoc(), to, widened(to.getType())));
}

void WideTypes::cloneBlock(OpBuilder &b, Block &from, IRMapping &map) const {
  for (Operation &op : from)
    clone(b, op, map);
}

void WideTypes::clone(OpBuilder &b, Operation &op, IRMapping &map) const {
  if (isNarrow(op))
    return cloneNarrow(b, op, map);
  if (isa<func::ReturnOp>(op)) {
    SmallVector<Value> results;
    for (Value operand : op.getOperands())
      results.push_back(convert(b, op.getLoc(), wideOf(b, operand, map), operand.getType()));
    func::ReturnOp::create(b, op.getLoc(), results);
    return;
  }
  // Roundings to fewer digits.
  if (isa<ReducePrecisionOp>(op) ||
      (isa<ConvertOp>(op) &&
       widened(op.getOperand(0).getType()) == widened(op.getResult(0).getType()))) {
    map.map(op.getResult(0), wideOf(b, op.getOperand(0), map));
    return;
  }
  Operation *copy = op.cloneWithoutRegions();
  for (auto [operand, from] : llvm::zip_equal(copy->getOpOperands(), op.getOperands()))
    operand.set(wideOf(b, from, map));
  b.insert(copy);
  map.map(op.getResults(), copy->getResults());
  for (Value result : copy->getResults())
    result.setType(widened(result.getType()));
  if (isProduct(op)) {
    // Other products have two operands, whose precisions are those of one attribute.
    Attribute highest = PrecisionAttr::get(op.getContext(), Precision::HIGHEST);
    if (isa<chlo::RaggedDotOp>(op))
      highest = chlo::PrecisionAttr::get(op.getContext(), chlo::Precision::HIGHEST);
    copy->setAttr("precision_config", ArrayAttr::get(op.getContext(), {highest, highest}));
    copy->removeAttr("algorithm");
  }
  for (auto [from, to] : llvm::zip_equal(op.getRegions(), copy->getRegions()))
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(b);
      Block *inner = b.createBlock(&to, to.end());
      for (BlockArgument argument : block.getArguments())
        map.map(argument, inner->addArgument(widened(argument.getType()), argument.getLoc()));
      cloneBlock(b, block, map);
    }
}

SmallVector<Value> WideTypes::apply(OpBuilder &b, Operation *op, IRMapping &map) const {
  clone(b, *op, map);
  return llvm::map_to_vector(op->getResults(), [&](Value result) { return map.lookup(result); });
}

void WideTypes::rewrite(Region &body) const {
  Block &from = body.front();
  auto *to = new Block;
  body.push_back(to);
  OpBuilder b = OpBuilder::atBlockBegin(to);
  IRMapping map;
  for (BlockArgument argument : from.getArguments()) {
    Value copy = to->addArgument(argument.getType(), argument.getLoc());
    map.map(argument, convert(b, argument.getLoc(), copy, widened(argument.getType())));
  }
  cloneBlock(b, from, map);
  from.dropAllReferences();
  from.erase();
}

} // namespace systole::numerics
