// How a program is divided among cores, from a module to the header of its program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_DIVISION_H
#define SYSTOLE_COMPILER_PIPELINE_DIVISION_H

#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace systole {

struct Division {
  int cores = 0; ///< 0: the program is not divided
  int sliceCores = 0;
  std::vector<int> places;
  /// The numbers of `kernel.argument_parts` and `kernel.result_parts`.
  std::vector<std::vector<int64_t>> arguments, results;
  /// Those of `kernel.whole_operations`: names and locations.
  std::vector<std::pair<std::string, program::Location>> wholeOperations;
};

/// Takes the division from the attributes of a module. An error if the target has not so many
/// cores, or the options name others.
mlir::FailureOr<Division> takeDivision(mlir::ModuleOp module, const Target &target,
                                       const CompileOptions &options);

/// Notes it in the header of the program.
void setDivision(const Division &division, program::ProgramHeader &header);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_DIVISION_H
