// The table of a module's log messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_LOGMESSAGES_H
#define SYSTOLE_COMPILER_CODEGEN_LOGMESSAGES_H

#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// Numbers the messages of all kernels, equal ones once, and leaves the table as the module's
/// `core.log_messages`: a dictionary for each, with the attributes of `kernel.log`.
mlir::LogicalResult numberLogMessages(mlir::ModuleOp module);

/// Emits a word of a numbered message.
void lowerLog(kernel::LogOp log, mlir::Value word, Emitter &e);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_LOGMESSAGES_H
