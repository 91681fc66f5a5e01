// The kernel of a Mosaic module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_MOSAIC_KERNEL_H
#define SYSTOLE_COMPILER_IMPORT_MOSAIC_KERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Attributes of the kernel's function.
inline constexpr llvm::StringLiteral kIterationBounds = "iteration_bounds",
                                     kDimensionSemantics = "dimension_semantics",
                                     kScalarPrefetch = "scalar_prefetch",
                                     kScratchOperands = "scratch_operands",
                                     kWindowParams = "window_params", kCoreType = "tpu.core_type";
/// Entries of `window_params`.
inline constexpr llvm::StringLiteral kTransformIndices = "transform_indices",
                                     kWindowBounds = "window_bounds", kWindowKind = "window_kind",
                                     kPipelineMode = "pipeline_mode", kRevisitMode = "revisit_mode";

/// The function that runs at each point of a grid. Its arguments are, in this order: an index of
/// type i32 for each dimension of the grid, scalars that are prefetched to SMEM, blocks of operands
/// and results, and scratch memory.
struct MosaicKernel {
  mlir::func::FuncOp function;
  /// The extents of the grid, ShapedType::kDynamic where the call has them as its first operands.
  llvm::SmallVector<int64_t> bounds;
  unsigned prefetched = 0, windows = 0, scratch = 0; ///< numbers of arguments

  unsigned firstPrefetched() const { return bounds.size(); }
  unsigned firstWindow() const { return firstPrefetched() + prefetched; }
  unsigned firstScratch() const { return firstWindow() + windows; }
};

/// The kernel of a module that readMosaic() has made.
MosaicKernel kernelOf(mlir::ModuleOp module);

/// Checks that a module has one kernel, for a TensorCore, whose attributes are well-formed and fit
/// its arguments, and whose index maps exist. Emits an error if not.
llvm::LogicalResult checkKernel(mlir::ModuleOp module);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_MOSAIC_KERNEL_H
