// Names of kernels, after what they compute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_KERNELNAMES_H
#define SYSTOLE_COMPILER_PLANNING_KERNELNAMES_H

#include "mlir/IR/Block.h"

#include <string>

namespace systole {

/// A name in the manner of XLA's for a kernel of the operations of `body`: "dot" or "reduce_add" of
/// one, "dot_add_maximum_fusion" of several. It names up to three: products, reductions and indexed
/// movements first, then elementwise operations, then other movements, of each sort the last ones.
std::string kernelName(mlir::Block &body);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_KERNELNAMES_H
