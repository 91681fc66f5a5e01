// The forms of convolutions that the matrix unit takes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_CONVOLUTIONS_H
#define SYSTOLE_COMPILER_TENSOR_CONVOLUTIONS_H

#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace systole {

/// Padding is at least 0. Windows are reversed, and the image is dilated along dimensions with
/// stride 1, only in the forms with positions.
enum class ConvolutionForm {
  /// [b, 0.., f] x [0.., i, o] or [0.., o, i] -> [b, 0.., f], maybe with groups of features: the
  /// features of a position are a row that streams past weights, once for each element of the
  /// window.
  Positions,
  /// [f, 0.., b] x [i, 0.., o] -> [0.., f, b], as filters get their gradients: the window is
  /// large and the sum runs over positions, which become the depth of the product.
  Filter,
  /// [b, 0.., f] x [0.., 1, f] -> [b, 0.., f] with a group for each feature: multiplications and
  /// additions on the vector unit, with the features along the lanes.
  Channels,
  /// [n, 0.., f] x [n, 0.., f] -> [0.., 1, f] with a batch group for each feature, as the filters
  /// of the form before get their gradients.
  ChannelFilter,
};

/// Elements of a window whose products are added on the vector unit, at most.
inline constexpr int64_t kMostChannelTaps = 256;

/// Weights of one row of lanes of results, or of all where there are groups, in bytes: those of a
/// kernel's step, which stay while positions stream past them. Convolutions with more are split.
inline constexpr int64_t kMostWeightBytes = 5 << 20;

/// Cycles from one latch of 128 x 128 weights to the next one of an MXU: 16 row groups of eight
/// cycles, and the swap. Costs have the target's own (compiler/Model/MxuShape.h); this is for
/// decisions that fix the order of sums, which no target may change.
inline constexpr int64_t kLatchCycles = 132;

/// Rows that kernels move along the lanes in a cycle, to let elements of a window be features.
inline constexpr double kMovedRowsPerCycle = 5;

/// The form that `op` has, if any.
std::optional<ConvolutionForm> formOf(stablehlo::ConvolutionOp op);

/// The dimension numbers of a form, with so many spatial dimensions.
stablehlo::ConvDimensionNumbersAttr numbersOf(mlir::MLIRContext *context, ConvolutionForm form,
                                              int64_t spatial, bool isKernelTransposed);

/// [n, 0.., f] x [0.., i, o] -> [n, 0.., f], with so many spatial dimensions.
stablehlo::ConvDimensionNumbersAttr numbersOfPositions(mlir::MLIRContext *context, int64_t spatial);

/// Whether the kernel's input features are its last dimension.
bool isKernelTransposed(stablehlo::ConvolutionOp op);

/// Elements of a window.
int64_t tapsOf(llvm::ArrayRef<stablehlo::ConvolutionOp::Window> window);

/// Whether positions of the result fall into phases of an image that is dilated.
bool hasPhases(const stablehlo::ConvolutionOp::Window &window);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_CONVOLUTIONS_H
