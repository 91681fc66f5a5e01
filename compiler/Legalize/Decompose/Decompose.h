// Decompositions of operations into others, whatever their element type, one subject per file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_DECOMPOSE_DECOMPOSE_H
#define SYSTOLE_COMPILER_LEGALIZE_DECOMPOSE_DECOMPOSE_H

#include "compiler/Tensor/Tensors.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Imported.h"

#include "llvm/ADT/DenseSet.h"

namespace systole::decomposition {

using expansion::Tensors;

/// Zeros, also of complex numbers.
mlir::Value zeros(Tensors &t, mlir::RankedTensorType type);
/// One or no element of each of several dimensions, at positions that are scalars.
mlir::Value sliceAt(Tensors &t, mlir::Value value, int64_t dim, mlir::Value index);

// Each function returns the replacement of the operation.

mlir::Value decomposeDot(stablehlo::DotOp op);
/// Rounds the operands and the result as the product's algorithm says; null if it has none, or if
/// the product is that already.
mlir::Value decomposeAlgorithm(stablehlo::DotGeneralOp op);
/// A product over common labels; diagonals and sums over labels of one operand before.
mlir::Value decomposeEinsum(mlir::Operation *op, llvm::StringRef equation);
mlir::Value decomposeBroadcast(stablehlo::BroadcastOp op);
mlir::Value decomposeIndexSelect(stablehlo::TorchIndexSelectOp op);
/// A loop over groups, with a product in each trip.
mlir::Value decomposeRaggedDot(chlo::RaggedDotOp op);
/// A loop over indices.
llvm::SmallVector<mlir::Value> decomposeScan(chlo::ScanOp op);

/// Replaces branches in the bodies of operations on elements, such as reducers, by selections of
/// what all of them yield.
void decomposeBranches(mlir::Operation *root);

/// Takes small tensors in such bodies apart, so that these compute with scalars alone.
void decomposeTensorsInBodies(mlir::Operation *root);

/// Random numbers from Philox bits. Its key is the number of the operation in the program, and its
/// counter contains the numbers of the trips of the loops around it: a program always draws the
/// same numbers, but other ones in each trip.
class RandomNumbers {
public:
  mlir::Value decompose(stablehlo::RngOp op);

private:
  mlir::Value makeState(stablehlo::RngOp op);
  stablehlo::WhileOp countTrips(stablehlo::WhileOp loop);

  int64_t count = 0;
  llvm::DenseSet<mlir::Operation *> counted;
};

} // namespace systole::decomposition

#endif // SYSTOLE_COMPILER_LEGALIZE_DECOMPOSE_DECOMPOSE_H
