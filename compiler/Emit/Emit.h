// Emits a program from scheduled machine functions: control flow, bundles, overlays and the
// header's tables.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_EMIT_H
#define SYSTOLE_COMPILER_EMIT_EMIT_H

#include "compiler/Schedule/Backend.h"
#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"

namespace systole {

struct EmitOptions {
  /// The fields that the caller sets: producer, name, signature, allocations, traps, precision,
  /// flops, and the peaks hbm_rows, vmem_rows and smem_words (0: from the region table). Tables of
  /// the code, target and spill space are filled in.
  program::ProgramHeader header;
  /// Bytes of header.constants.
  std::vector<std::string> constants;
  machine::BackendOptions backend;
  /// Begin to load overlays while other code runs.
  bool startsOverlaysEarly = true;
  /// Verify the result with verifyProgram.
  bool verify = true;
};

/// Why a program does not fit the machine, if its code is why.
struct CodeShortage {
  /// Rows of VMEM that spilled registers take, if they are too many.
  int64_t spillRows = 0;
  /// Bundles of the longest routine, if one exceeds the instruction memory.
  int64_t bundles = 0;
};

/// Lowers a module of `core` routines, schedules them, allocates registers and
/// emits the program. Failures have been reported at the module or at an
/// operation; `shortage`, if not null, says whether a tighter CodeBudget may help.
llvm::FailureOr<Program> emitProgram(mlir::ModuleOp module, const Target &target,
                                     EmitOptions options, machine::Statistics &statistics,
                                     CodeShortage *shortage = nullptr);

namespace machine {

/// Encodes scheduled and allocated routines. ResourceExhausted if the code or the spill frames do
/// not fit the machine.
absl::StatusOr<Program> encodeModule(const Module &module, const Target &target,
                                     program::ProgramHeader header, bool startsOverlaysEarly = true,
                                     CodeShortage *shortage = nullptr);

} // namespace machine
} // namespace systole

#endif // SYSTOLE_COMPILER_EMIT_EMIT_H
