// What StableHLO operations become that others express: one file a subject.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_EXPAND_EXPAND_H
#define SYSTOLE_COMPILER_GRAPH_EXPAND_EXPAND_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole::expansion {

// Each returns what replaces the operation, null after a diagnostic.

/// By rounding and clamping the bits of f32.
mlir::Value expandReducePrecision(mlir::OpBuilder &b, stablehlo::ReducePrecisionOp op);
/// Between elements of different widths: by shifting parts together or apart.
mlir::Value expandBitcast(mlir::OpBuilder &b, stablehlo::BitcastConvertOp op);
/// The body's operations on whole tensors.
mlir::Value expandMap(stablehlo::MapOp op);
/// A product with a vector takes the matrix as it is before transpositions and, if that stays the
/// arrays', as weights.
void orderVectorProduct(stablehlo::DotGeneralOp op);
/// Products of which HBM takes longer than the vector unit, and arrays would be latched for a
/// single row: outer ones, and those of which one side is a vector (of bf16 and 8-bit integers in
/// large matrices unless these lie as weights do). Nothing to sum is zero.
bool isForVectorUnit(stablehlo::DotGeneralOp op);
mlir::Value expandForVectorUnit(mlir::OpBuilder &b, stablehlo::DotGeneralOp op);
/// A product or convolution of truth values is a count of common ones, or whether it is not zero.
bool hasPredicates(mlir::Operation *op);
mlir::Value expandPredicates(mlir::OpBuilder &b, mlir::Operation *op);

/// In f32, to which narrower elements are widened.
mlir::Value expandCholesky(stablehlo::CholeskyOp op);
mlir::Value expandTriangularSolve(stablehlo::TriangularSolveOp op);

/// `Qr` and `ProductOfElementaryHouseholderReflectors` of f32, and `LuDecomposition`, for which
/// narrower floats are widened; nothing for other types.
llvm::SmallVector<mlir::Value> expandQr(stablehlo::CustomCallOp op);
llvm::SmallVector<mlir::Value> expandReflectors(stablehlo::CustomCallOp op);
llvm::SmallVector<mlir::Value> expandLuDecomposition(stablehlo::CustomCallOp op);
/// `ResizeBilinear` and `ResizeNearest` of images [n, h, w, c] of floats, and their gradients.
llvm::SmallVector<mlir::Value> expandResize(stablehlo::CustomCallOp op);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_GRAPH_EXPAND_EXPAND_H
