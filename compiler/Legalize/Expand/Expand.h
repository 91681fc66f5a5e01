// Expansions of StableHLO operations, one subject per file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_EXPAND_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_EXPAND_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole::expansion {

// Each function returns the replacement of the operation, null after a diagnostic.

/// Rounds and clamps the bits of f32.
mlir::Value expandReducePrecision(mlir::OpBuilder &b, stablehlo::ReducePrecisionOp op);
/// For element types of different widths: combines or extracts parts by shifts.
mlir::Value expandBitcast(mlir::OpBuilder &b, stablehlo::BitcastConvertOp op);
/// Applies the body's operations to whole tensors.
mlir::Value expandMap(stablehlo::MapOp op);
/// Makes a matrix-vector product read its matrix before transpositions and, if the matrix unit
/// computes it, use the matrix as weights.
void orderVectorProduct(stablehlo::DotGeneralOp op);
/// Whether a product is faster on the vector unit, because HBM bounds it and weights would be
/// latched for a single row: outer products, and products with a vector (of bf16 and 8-bit
/// integers, unless the matrix is large and lies as weights do). An empty sum is zero.
bool isForVectorUnit(stablehlo::DotGeneralOp op);
mlir::Value expandForVectorUnit(mlir::OpBuilder &b, stablehlo::DotGeneralOp op);
/// Whether an operation is a product or convolution of i1, which counts common ones.
bool hasPredicates(mlir::Operation *op);
mlir::Value expandPredicates(mlir::OpBuilder &b, mlir::Operation *op);

/// Whether an operation is of f64. The vector unit adds outer products of these.
bool hasDoubles(mlir::Operation *op);
mlir::Value expandDoubles(mlir::OpBuilder &b, stablehlo::DotGeneralOp op);
/// Whether a convolution is of f64 or of 64-bit integers, which becomes a product of all windows.
bool needsWindows(stablehlo::ConvolutionOp op);
mlir::Value expandWindows(stablehlo::ConvolutionOp op);

/// In f32, or in f64; narrower elements are widened.
mlir::Value expandCholesky(stablehlo::CholeskyOp op);
mlir::Value expandTriangularSolve(stablehlo::TriangularSolveOp op);

/// `Qr`, `ProductOfElementaryHouseholderReflectors` and `Eigh` of f32, f64 and complex numbers, and
/// `LuDecomposition`, for which narrower floats are widened; nothing for other types.
llvm::SmallVector<mlir::Value> expandQr(stablehlo::CustomCallOp op);
llvm::SmallVector<mlir::Value> expandReflectors(stablehlo::CustomCallOp op);
llvm::SmallVector<mlir::Value> expandLuDecomposition(stablehlo::CustomCallOp op);
llvm::SmallVector<mlir::Value> expandEigh(stablehlo::CustomCallOp op);
/// `ApproxTopK`, whose operands are values, indices, and initial ones of both.
llvm::SmallVector<mlir::Value> expandApproxTopK(stablehlo::CustomCallOp op);
/// `ResizeBilinear` and `ResizeNearest` of images [n, h, w, c] of floats, and their gradients.
llvm::SmallVector<mlir::Value> expandResize(stablehlo::CustomCallOp op);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_EXPAND_H
