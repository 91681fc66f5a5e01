// Powers of two that divide a scalar.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/KnownFactor.h"

#include "dialects/Core/Core.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace systole;

int64_t systole::knownFactor(Value value) {
  constexpr int64_t most = int64_t(1) << 30;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isZero() ? most : std::min(most, int64_t(1) << constant.countr_zero());
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
    if (!loop || value != loop.getInductionVar())
      return 1;
    return std::min(knownFactor(loop.getLowerBound()), knownFactor(loop.getStep()));
  }
  if (isa<core::SMulOp, arith::MulIOp>(op))
    return std::min(most, knownFactor(op->getOperand(0)) * knownFactor(op->getOperand(1)));
  if (isa<core::SAddOp, core::SSubOp, arith::AddIOp, arith::SubIOp>(op))
    return std::min(knownFactor(op->getOperand(0)), knownFactor(op->getOperand(1)));
  if (isa<core::SShlOp, arith::ShLIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return std::min(most, knownFactor(op->getOperand(0)) << constant.getLimitedValue(30));
  if (isa<core::SSraOp, arith::ShRSIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return std::max<int64_t>(1, knownFactor(op->getOperand(0)) >> constant.getLimitedValue(30));
  return 1;
}
