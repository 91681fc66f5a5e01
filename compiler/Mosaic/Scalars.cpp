// Integer arithmetic of Mosaic kernels on the scalar unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole::mosaic {

/// Whether the scalar unit holds values of the type as they are.
static bool isWord(Type type) { return type.isInteger(32) || type.isInteger(1) || type.isIndex(); }

/// Division needs a constant above zero there.
static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

bool Translator::visitScalar(Operation *op) {
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1 ||
      !isWord(op->getResult(0).getType()) || !llvm::all_of(op->getOperandTypes(), isWord))
    return false;
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<IntegerAttr>(constant.getValue());
    const bool isPredicate = result.getType().isInteger(1);
    values.scalars[result] = arith::ConstantIntOp::create(
        b, loc, isPredicate ? int64_t(value.getValue().getZExtValue()) : value.getInt(),
        isPredicate ? 1 : 32);
    return true;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    // The vector unit goes on with what it has computed.
    Value known = values.scalars.lookup(operand);
    if (!known)
      return false;
    operands.push_back(known);
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    values.scalars[result] = operands[0];
    return true;
  }
  APInt divisor;
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) &&
      matchPattern(operands[1], m_ConstantInt(&divisor)) && divisor.isPowerOf2()) {
    auto word = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, 32);
    };
    values.scalars[result] =
        isa<arith::DivUIOp>(op)
            ? arith::ShRUIOp::create(b, loc, operands[0], word(divisor.logBase2())).getResult()
            : arith::AndIOp::create(b, loc, operands[0], word(divisor.getSExtValue() - 1))
                  .getResult();
    return true;
  }
  if (isDivision(op) &&
      !(isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp>(op) &&
        matchPattern(operands[1], m_ConstantInt(&divisor)) && divisor.isStrictlyPositive()))
    return false;
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(from, to);
  Operation *emitted = b.clone(*op, mapping);
  if (result.getType().isIndex())
    emitted->getResult(0).setType(b.getI32Type());
  values.scalars[result] = emitted->getResult(0);
  SmallVector<OpFoldResult> folded;
  if (succeeded(emitted->fold(folded)) && folded.size() == 1) {
    if (auto value = dyn_cast<Value>(folded[0])) {
      values.scalars[result] = value;
      emitted->erase();
    } else if (auto attr = dyn_cast<IntegerAttr>(cast<Attribute>(folded[0]))) {
      const bool isPredicate = result.getType().isInteger(1);
      b.setInsertionPoint(emitted);
      values.scalars[result] = arith::ConstantIntOp::create(
          b, loc, isPredicate ? int64_t(attr.getValue().getZExtValue()) : attr.getInt(),
          isPredicate ? 1 : 32);
      b.setInsertionPointAfter(emitted);
      emitted->erase();
    }
  }
  return true;
}

} // namespace systole::mosaic
