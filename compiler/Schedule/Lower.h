// Lowers the `core` dialect to machine functions, in one pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOWER_H
#define SYSTOLE_COMPILER_SCHEDULE_LOWER_H

#include "compiler/Schedule/MachineFunction.h"

#include "mlir/IR/BuiltinOps.h"

namespace systole::machine {

/// Lowers every func.func of `module` to a routine; `@main` is the entry. The input is core
/// operations, arith.constant, scf.for/if/while and func.call; any other operation is an error at
/// its location.
llvm::FailureOr<Module> lowerToMachine(mlir::ModuleOp module);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOWER_H
