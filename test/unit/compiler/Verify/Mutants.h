// Damages of compiled programs, each chosen by a random number.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_VERIFY_MUTANTS_H
#define SYSTOLE_TEST_UNIT_COMPILER_VERIFY_MUTANTS_H

#include "dialects/Machine/Program/Program.h"

#include "mlir/IR/BuiltinOps.h"

#include <random>
#include <string>

namespace systole {

/// Damages a module of kernels: the place or the rows of an array in VMEM, the place of one in HBM,
/// the flag of a copy or a wait, the room that a kernel leaves in the queue; or a wait is lost, or
/// comes too late. Returns the kind, or "" if the module has nothing of the kind chosen.
std::string damageKernels(mlir::ModuleOp module, std::mt19937 &random);

/// Damages the code of a program: the flag or the count of a wait, the flag of a copy, or a wait or
/// a copy is lost, or a wait comes too late. Returns the kind, or "".
std::string damageCode(Program &program, std::mt19937 &random);

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_COMPILER_VERIFY_MUTANTS_H
