// Arrays as blocks that cores copy to each other: whole rows of memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_BLOCKS_H
#define SYSTOLE_COMPILER_PARTITION_BLOCKS_H

#include "compiler/Tensor/Tensors.h"

namespace systole::partition {

/// The steps of an exchange, of blocks one behind the other along the first dimension.
struct Exchange {
  int64_t sourceBlocks, targetBlocks;
  mlir::ArrayAttr steps;
  llvm::StringRef collective; ///< the operation in reports
};

/// Exchanges the blocks of `value`, of rank 1 at least. Blocks that do not lie in whole rows, or
/// would be mostly padding, are rearranged before and behind.
mlir::Value exchangeBlocks(expansion::Tensors &t, mlir::Value value, const Exchange &exchange);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_BLOCKS_H
