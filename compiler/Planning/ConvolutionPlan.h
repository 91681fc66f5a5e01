// What a convolution keeps in VMEM beside its blocks, and how positions become depth.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_CONVOLUTIONPLAN_H
#define SYSTOLE_COMPILER_PLANNING_CONVOLUTIONPLAN_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/LaneFold.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// Positions of a result along one dimension that see an image in the same way: all of them or, of
/// an image that is dilated, those whose windows meet its elements with the same taps. Position i
/// and tap t of a phase are `out.at(i)` and `tap.at(t)` of the convolution, and meet element
/// `image` + i * `stride` + t * `dilation` of the image, padding included.
struct WindowPhase {
  struct Steps {
    int64_t first = 0, step = 1, count = 0;
    mlir::AffineExpr at(mlir::AffineExpr index) const { return index * step + first; }
  };
  Steps out, tap;
  int64_t image = 0, stride = 1, dilation = 1;
};
/// The phases of `outputs` positions, the first of which starts one.
llvm::SmallVector<WindowPhase> phasesOf(const stablehlo::ConvolutionOp::Window &window,
                                        int64_t outputs);
/// One phase for each dimension of a step's positions, in all combinations.
llvm::SmallVector<llvm::SmallVector<WindowPhase>> phasesOf(stablehlo::ConvolutionOp op,
                                                           const Blocking &blocking);
/// Elements of padding before an image, and behind the first that a window sees those up to the
/// last one that `outputs` positions see.
int64_t paddingBefore(const stablehlo::ConvolutionOp::Window &window);
int64_t elementsSeen(const stablehlo::ConvolutionOp::Window &window, int64_t outputs);

/// Window elements that one stage on the vector unit takes: their weights, or sums, stay in
/// registers.
inline constexpr int64_t kTapsPerStage = 9;

/// The dimension of a gradient's positions that eight of them lie along, where features have a
/// group each: a spatial one, of which a last group may be incomplete, or the batch.
int64_t sublaneDimOf(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// The shape of what the windows of one step see of the image, padding included.
llvm::SmallVector<int64_t> windowedShape(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// Whether that is more than a part of the image's block, where it starts.
bool isPadded(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// A copy of the image's block as windows see it. Elements that the block does not have are zero,
/// or are only seen by positions that fill a vector of sublanes and take no part.
struct PaddedImage {
  llvm::SmallVector<int64_t> shape;
  /// Where the elements of the block are, and how many.
  llvm::SmallVector<int64_t> first, sizes;
  bool hasEdges() const { return sizes != shape; }
};
PaddedImage paddedImageOf(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// How the image of a step, [n, spatial.., f] as its windows see it, becomes the folded one.
llvm::SmallVector<FoldLevel, 3> foldLevels(stablehlo::ConvolutionOp op,
                                           llvm::ArrayRef<int64_t> image, const Blocking &blocking);
/// Whether the window is reversed along any dimension.
bool isReversed(stablehlo::ConvolutionOp op);

/// Whether a filter's gradient in `passes` rounds the gradient before its positions move to lanes.
bool roundsGradient(stablehlo::ConvolutionOp op, int passes);

/// Bytes of VMEM that `op` takes beside its operands' and results' blocks.
int64_t scratchBytes(stablehlo::ConvolutionOp op, const Blocking &blocking);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_CONVOLUTIONPLAN_H
