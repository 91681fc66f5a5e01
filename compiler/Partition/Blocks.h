// Arrays as blocks that cores copy to each other: whole rows of memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_BLOCKS_H
#define SYSTOLE_COMPILER_PARTITION_BLOCKS_H

#include "compiler/Tensor/Tensors.h"

namespace systole::partition {

/// Exchanges the blocks of `value` along its first dimension by `steps`: the result has `count`
/// blocks of their shape. Blocks that do not lie in whole rows, or would be mostly padding, are
/// rearranged before and behind. `collective` names the operation in reports.
mlir::Value exchangeBlocks(expansion::Tensors &t, mlir::Value value, int64_t count,
                           mlir::ArrayAttr steps, llvm::StringRef collective);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_BLOCKS_H
