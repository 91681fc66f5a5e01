// Kernels of fusions and of plain copies; equal kernels are built once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_KERNELBUILDER_H
#define SYSTOLE_COMPILER_TILING_KERNELBUILDER_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Tiling/IndexStreams.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace systole {

class MachineModel;

struct KernelOptions {
  int64_t smemWords = 0; ///< that indices may take
  int precision = 1;     ///< bf16 passes of contractions by default
  const MachineModel *model = nullptr;
};

/// A kernel and which tensors of its fusion its operands are.
struct BuiltKernel {
  kernel::FuncOp func;
  /// Operand i of the kernel is input `operandInputs[i]` of the fusion, or
  /// output -1 - `operandInputs[i]`.
  llvm::SmallVector<int64_t> operandInputs;
  /// Results that are updates in HBM, with the inputs that they replace.
  llvm::SmallVector<std::pair<int64_t, int64_t>> updates;
  /// The inputs that it takes as scalars.
  llvm::SmallVector<int64_t> scalarInputs;
};

/// A block of an array that a kernel loads for the next one, which takes it as an input.
struct KernelLoad {
  mlir::OpOperand *input;
  llvm::SmallVector<int64_t> block;
  kernel::PlacementAttr placement;
};

/// Where VMEM has the blocks of input `number` of `fusion`, of which the kernel before loads the
/// first one; null if it does not.
kernel::PlacementAttr prefetchPlacement(kernel::FusionOp fusion, int64_t number);

class KernelBuilder {
public:
  /// New kernels go to the end of `module`.
  KernelBuilder(mlir::ModuleOp module, const KernelOptions &options)
      : module(module), given(options) {}

  const KernelOptions &options() const { return given; }

  IndexStreams streamsOf(kernel::FusionOp fusion) const;
  /// `isHeld` says of an input whether the sequencer holds it. Those and positions of rank
  /// 0 become scalars of the kernel, behind the rows at which inputs and results start that are
  /// parts of arrays: `rows` are their numbers. `residentAt` says where VMEM keeps an input that is
  /// in `blocking.residents`. Its last operands are the arrays of `loads`.
  mlir::FailureOr<BuiltKernel> build(kernel::FusionOp fusion, const Blocking &blocking,
                                     llvm::function_ref<bool(mlir::Value)> isHeld,
                                     const llvm::DenseMap<mlir::Value, int64_t> &rows,
                                     llvm::function_ref<int64_t(mlir::Value)> residentAt,
                                     llvm::ArrayRef<KernelLoad> loads);
  /// A kernel that copies `rows` rows of 512 bytes, from and to the rows that are its scalars, if
  /// either array is a part.
  kernel::FuncOp buildCopy(int64_t rows, mlir::Location loc, bool fromPart, bool toPart) {
    return buildCopy(rows, loc, fromPart, toPart, /*residentAt=*/-1);
  }
  /// A kernel that copies `rows` rows which VMEM keeps at `residentAt` to an array.
  kernel::FuncOp buildStore(int64_t rows, mlir::Location loc, int64_t residentAt) {
    return buildCopy(rows, loc, /*fromPart=*/false, /*toPart=*/false, residentAt);
  }
  /// A kernel that loads an array which VMEM keeps at `residentAt`.
  kernel::FuncOp buildLoad(kernel::ResidentOp resident, int64_t residentAt);

private:
  kernel::FuncOp buildCopy(int64_t rows, mlir::Location loc, bool fromPart, bool toPart,
                           int64_t residentAt);
  /// The kernel already built that equals `func`, which is then erased, or `func`, which then has
  /// `name`, from the second one of this name on with a number.
  kernel::FuncOp unique(kernel::FuncOp func, llvm::StringRef name);

  mlir::ModuleOp module;
  KernelOptions given;
  llvm::StringMap<kernel::FuncOp> kernels;
  llvm::StringMap<int> names; ///< how many kernels have each
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_KERNELBUILDER_H
