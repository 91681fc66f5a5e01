// Transfers with the host in a program for several cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_HOSTTRANSFERS_H
#define SYSTOLE_COMPILER_PARTITION_HOSTTRANSFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace systole::partition {

/// Lets one of `cores` exchange the whole array of a `kernel.send` or `kernel.recv`: the only
/// device of its sharding's mesh, or the first one. The others get what is received from it.
/// Transfers in manual computations are those of each core, and not given to this.
mlir::LogicalResult transferOnOneCore(mlir::Operation *op, int64_t cores);

/// An error if the program uses a queue of a device, of which each core would have one.
mlir::LogicalResult checkQueues(mlir::ModuleOp module);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_HOSTTRANSFERS_H
