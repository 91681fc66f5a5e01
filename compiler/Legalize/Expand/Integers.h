// Integer arithmetic on tensors of one type, for expansions on bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_INTEGERS_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_INTEGERS_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole::expansion {

struct Integers {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType type;

  mlir::Value number(const mlir::APInt &value) const {
    return stablehlo::ConstantOp::create(b, loc, mlir::DenseElementsAttr::get(type, value));
  }
  mlir::Value number(int64_t value) const {
    return number(llvm::APInt(type.getElementTypeBitWidth(), value, /*isSigned=*/true));
  }
  template <typename Op> mlir::Value apply(mlir::Value x, mlir::Value y) const {
    return Op::create(b, loc, x, y);
  }
  mlir::Value compare(stablehlo::ComparisonDirection direction, mlir::Value x,
                      mlir::Value y) const {
    return stablehlo::CompareOp::create(b, loc, x, y, direction, stablehlo::ComparisonTypeAttr());
  }
  mlir::Value select(mlir::Value mask, mlir::Value x, mlir::Value y) const {
    return stablehlo::SelectOp::create(b, loc, mask, x, y);
  }
  mlir::Value convert(mlir::Value x, mlir::RankedTensorType to) const {
    return stablehlo::ConvertOp::create(b, loc, to, x);
  }
  /// Bitcasts `x` from elements of the same width.
  mlir::Value bits(mlir::Value x) const {
    return stablehlo::BitcastConvertOp::create(b, loc, type, x);
  }
};

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_INTEGERS_H
