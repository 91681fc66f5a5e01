// The compiler's one entry point: StableHLO in, a machine program out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_COMPILER_H
#define SYSTOLE_COMPILER_PIPELINE_COMPILER_H

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"

namespace systole {

class CompileProgress;
struct Program;
class Target;

struct CompileOptions {
  // How f32 operands of contractions reach the MXU: "default" (one bf16 pass),
  // "high" (three) or "highest" (six).
  std::string precision = "default";
  // Keep intermediate bf16 and f16 results in f32 inside a fusion.
  bool excessPrecision = false;
  // Where every level's IR is written, one file per level; "" for nowhere.
  std::string dumpIrDir;
  // Print ops, bundles and time of each pass to stderr.
  bool timing = false;
  // Asked often: the compilation ends with Cancelled once it is true. May be null.
  std::function<bool()> isCancelled;
  // Updated meanwhile. May be null.
  CompileProgress *progress = nullptr;
};

// InvalidArgument, which calls it `what`, for a precision that CompileOptions does not have.
absl::Status checkPrecision(llvm::StringRef precision, llvm::StringRef what);

// Compiles a module for `target`: `source` is StableHLO as text or portable artifact, or HLO as
// text or proto (see ReadHlo.h). `fileName` appears in locations. The entry is `@main` or the only
// public function. Bad input is InvalidArgument, what the compiler lacks Unimplemented, and a
// program that the machine has too little memory for ResourceExhausted; the message is the rendered
// diagnostics, each with its location. Cancelled as `options` say.
absl::StatusOr<Program> compile(llvm::StringRef source, llvm::StringRef fileName,
                                const Target &target, const CompileOptions &options);

// The StableHLO that compile() would take, as text in the public syntax, whichever form `source`
// has; without shardings, which are for one device.
absl::StatusOr<std::string> toStableHLO(llvm::StringRef source, llvm::StringRef fileName);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_COMPILER_H
