// Emits exchanges of blocks between cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_EXCHANGE_H
#define SYSTOLE_COMPILER_CODEGEN_EXCHANGE_H

#include "compiler/Codegen/Emitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace systole::codegen {

/// The two regions of HBM of an exchange.
struct ExchangeRegions {
  int32_t source, target;
};

/// A routine that executes the steps of `op`, in front of the function in which it is. An error if
/// its blocks do not lie in whole rows.
mlir::FailureOr<mlir::func::FuncOp> emitExchange(kernel::CopyToCoresOp op, ExchangeRegions regions,
                                                 llvm::StringRef name, const Machine &machine);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_EXCHANGE_H
