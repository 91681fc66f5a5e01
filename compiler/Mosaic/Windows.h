// The windows of a Mosaic kernel: which block of an operand each step of the grid sees.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_WINDOWS_H
#define SYSTOLE_COMPILER_MOSAIC_WINDOWS_H

#include "compiler/Import/Mosaic/Kernel.h"
#include "dialects/Kernel/Kernel.h"

#include <optional>

namespace systole::mosaic {

/// An operand or result of a kernel's call that its body sees a part of.
struct Window {
  mlir::BlockArgument argument;
  /// The number of the operand, or -1 - that of the result.
  int64_t number = 0;
  mlir::MemRefType type;
  /// From grid indices, then refs of what is prefetched, to the block's index; null where the body
  /// sees all.
  mlir::func::FuncOp transform;
  /// Whether the index is that of the block's first element.
  bool isElements = false;
  llvm::SmallVector<int64_t> padLow, padHigh;
  /// Whether VMEM has one block, into which the next one is loaded when a step is done.
  bool isSynchronous = false;
  /// Whether steps may come back to a block later.
  bool isRevisited = false;

  bool isOutput() const { return number < 0; }
};

/// Checks that `body` has a kernel, which takes what `call` passes.
mlir::LogicalResult checkCall(kernel::MosaicCallOp call, mlir::ModuleOp body);

/// The windows of a kernel that is called with `operands` operands.
llvm::SmallVector<Window> windowsOf(const MosaicKernel &kernel, int64_t operands);

/// Whether the grid is static and all index maps are those of grid indices alone.
bool hasAffineWindows(const MosaicKernel &kernel, int64_t operands);

/// Whether a kernel sees an array in HBM, or in any memory.
bool isInHbm(const Window &window);

/// Whether all copies of a window that a kernel sees as a whole, in HBM, are of single tiles of 128
/// columns, of which it has several; and whether there is such a copy.
bool mayBePanels(const Window &window);
bool isCopiedInColumnTiles(const Window &window);

/// An index map as one of the indices of a grid of these extents alone, without what is prefetched;
/// nothing if it is not one.
std::optional<mlir::AffineMap> affineMapOf(mlir::func::FuncOp transform,
                                           llvm::ArrayRef<int64_t> grid);

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_WINDOWS_H
