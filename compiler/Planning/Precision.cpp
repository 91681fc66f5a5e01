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

/// The fewest passes whose operands have the bits that an algorithm asks for. Two parts of bf16
/// have 16 bits, three have 24; the products that six passes leave out are below those.
static int passesOf(stablehlo::DotAlgorithmAttr algorithm) {
  mlir::Type type = algorithm.getLhsPrecisionType();
  int64_t operations = algorithm.getNumPrimitiveOperations();
  if (type.isF16() || type.isF32() || type.isF64())
    return 6;
  bool isSplit = operations > 1;
  if (mlir::isa<mlir::FloatTF32Type>(type))
    return isSplit ? 6 : 3;
  return operations >= 6 ? 6 : isSplit ? 3 : 1;
}

int passesOf(stablehlo::DotGeneralOp op) {
  if (stablehlo::DotAlgorithmAttr algorithm = op.getAlgorithmAttr())
    return passesOf(algorithm);
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
