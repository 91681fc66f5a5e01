// Stands in for the compiler in a build without it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Compiler.h"
#include "runtime/Program/Program.h"
#include "runtime/Target/Target.h"

namespace systole {

absl::StatusOr<Program> compile(llvm::StringRef, llvm::StringRef, const Target &,
                                const CompileOptions &) {
  return absl::UnimplementedError("this build of systole has no compiler");
}

} // namespace systole
