// The passes of bf16 that a product of f32 asks for.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Precision.h"

namespace systole {

static int passesOf(stablehlo::Precision precision) {
  switch (precision) {
  case stablehlo::Precision::DEFAULT:
    return 0;
  case stablehlo::Precision::HIGH:
    return 3;
  case stablehlo::Precision::HIGHEST:
    return 6;
  }
  return 0;
}

int passesOf(stablehlo::DotGeneralOp op) {
  if (auto algorithm = op.getAlgorithmAttr()) {
    if (algorithm.getNumPrimitiveOperations() >= 6)
      return 6;
    if (algorithm.getNumPrimitiveOperations() >= 3)
      return 3;
    return algorithm.getLhsPrecisionType().isF32() ? 6 : 1;
  }
  return passesOf(std::max(op.getOperandPrecision(0), op.getOperandPrecision(1)));
}

int passesOf(stablehlo::ConvolutionOp op) {
  return passesOf(std::max(op.getOperandPrecision(0), op.getOperandPrecision(1)));
}

bool isOnePass(mlir::Operation *op, int passes) {
  return llvm::all_of(op->getOperandTypes(), [&](mlir::Type type) {
    mlir::Type element = mlir::cast<mlir::RankedTensorType>(type).getElementType();
    return element.isBF16() || (element.isF32() && passes == 1);
  });
}

} // namespace systole
