// The operands, scratch memory and body of the kernel that a Mosaic kernel becomes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_SKELETON_H
#define SYSTOLE_COMPILER_MOSAIC_SKELETON_H

#include "compiler/Mosaic/Translator.h"
#include "compiler/Mosaic/Windows.h"
#include "dialects/Mosaic/Mosaic.h"

namespace systole::mosaic {

tpu::MemorySpace spaceOf(mlir::MemRefType type);

struct LoweringOptions {
  int precision = 1; ///< bf16 passes of a product of f32 that asks for the default
  /// Whether a kernel that copies its blocks by a loop copies them beside its steps.
  bool overlapsCopies = true;
};

/// Builds a `kernel.func` for a Mosaic kernel. Its operands are those of the call, then its
/// results.
class Skeleton {
public:
  Skeleton(kernel::MosaicCallOp call, mlir::ModuleOp body, int precision);
  virtual ~Skeleton() = default;

  /// The kernel, which has no name yet. Failures have been reported.
  mlir::FailureOr<kernel::FuncOp> lower();

protected:
  using Value = mlir::Value;

  /// The extents of the grid that `kernel.func` has.
  virtual llvm::SmallVector<int64_t> grid() = 0;
  /// Adds the operand of a window in VMEM that has an index map.
  virtual mlir::LogicalResult addBlocks(const Window &window) = 0;
  /// Fills the body, whose arguments are `block`'s.
  virtual mlir::LogicalResult translate(mlir::Block &block) = 0;

  /// An operand of which the body sees what `role` and `shape` say.
  void add(mlir::RankedTensorType array, kernel::Role role, llvm::ArrayRef<int64_t> shape,
           mlir::Value argument);
  void add(mlir::RankedTensorType array, kernel::OperandAttr attr, mlir::Value argument);
  /// Where the program calls the kernel, or the kernel itself if its line is known.
  mlir::Location location();
  mlir::LogicalResult unsupported(const llvm::Twine &what);

  /// The array of an operand or result, by a window's number.
  mlir::RankedTensorType arrayOf(int64_t number);
  kernel::BufferType buffer(llvm::ArrayRef<int64_t> shape, mlir::Type element, kernel::Space space);
  /// Whether the array lies in panels (ArrangeOperands.cpp).
  bool isPanels(const Window &window);
  /// The shape of a window's block as the array lies.
  llvm::SmallVector<int64_t> blockShape(const Window &window);
  /// A buffer that holds a window's block, as the ref that the body sees.
  Ref blockRef(const Window &window, Value buffer);

  /// The array in SMEM of which a window is a block: the operand's value, or memory for a result,
  /// which `storeWords` copies out.
  Value wordsOf(const Window &window, Value operand);
  void storeWords();
  /// Copies all words from one of SMEM, or to one, and waits.
  void copyWords(Value from, Value to, mlir::Location loc);

  /// Lets operands that VMEM or SMEM hold as a whole, and that results alias, be those results' memory.
  /// `steps` are the indices of the grid.
  mlir::LogicalResult joinAliases(Translator &translator, mlir::ValueRange steps);

  /// Binds the kernel's scratch memory.
  mlir::LogicalResult bindScratch(Translator &translator, bool isPersistent);

  kernel::MosaicCallOp call;
  MosaicKernel source;
  int precision;
  mlir::OpBuilder b;
  llvm::SmallVector<Window> windows;
  /// Of `kernel.func`, by operand: types, attributes, what the body sees, and the argument of the
  /// Mosaic kernel that stands for it, null for an extent of the grid.
  llvm::SmallVector<mlir::Attribute> types, operands;
  llvm::SmallVector<mlir::Type> bodyTypes;
  llvm::SmallVector<Value> arguments;
  int64_t flops = 0; ///< of a step, once it is translated

private:
  /// Results in SMEM, with the arrays in HBM.
  llvm::SmallVector<std::pair<Value, Value>> words;
  mlir::LogicalResult addOperands();
};

/// A kernel over stages for the Mosaic kernel in `body`, which `call` calls: with blocks of a grid
/// if all index maps are affine (GridKernel.cpp), else with a loop that copies blocks itself
/// (LoopKernel.cpp).
mlir::FailureOr<kernel::FuncOp> lowerKernel(kernel::MosaicCallOp call, mlir::ModuleOp body,
                                            const LoweringOptions &options);
mlir::FailureOr<kernel::FuncOp> lowerGridKernel(kernel::MosaicCallOp call, mlir::ModuleOp body,
                                                const LoweringOptions &options);
mlir::FailureOr<kernel::FuncOp> lowerLoopKernel(kernel::MosaicCallOp call, mlir::ModuleOp body,
                                                const LoweringOptions &options);

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_SKELETON_H
