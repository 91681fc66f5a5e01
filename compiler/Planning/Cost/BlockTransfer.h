// The copies of a kernel's blocks between HBM and VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_BLOCKTRANSFER_H
#define SYSTOLE_COMPILER_PLANNING_COST_BLOCKTRANSFER_H

#include "mlir/IR/BuiltinTypes.h"

namespace systole {

/// One dimension of an array in HBM and of its blocks, in elements. Blocks of a window may start
/// anywhere, and lie beyond the array's ends.
struct BlockDim {
  int64_t extent = 1, block = 1;
  bool isWindow = false;
};

/// The descriptors that copy one block: chunks of consecutive bytes, `chunks` of them in each of
/// `dmas` copies.
struct BlockTransfer {
  int64_t chunkBytes = 0, chunks = 1, dmas = 1;
  /// The last block is shorter, which each copy has to find out.
  bool isClipped = false;

  int64_t bytes() const { return chunkBytes * chunks * dmas; }
};

/// As codegen forms them (compiler/Codegen/BlockCopy.cpp).
BlockTransfer blockTransferOf(llvm::ArrayRef<BlockDim> dims, mlir::Type element);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_BLOCKTRANSFER_H
