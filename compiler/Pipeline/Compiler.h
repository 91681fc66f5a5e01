// The interface of the compiler: StableHLO in, a machine program out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_COMPILER_H
#define SYSTOLE_COMPILER_PIPELINE_COMPILER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/Decisions/Decisions.h"
#include "compiler/Numerics/Taps.h"
#include "llvm/ADT/StringRef.h"

namespace systole {

class CompileProgress;
struct Program;
class Target;

struct CompileOptions {
  // How f32 operands of contractions are passed to the MXU: "default" (one bf16 pass), "high"
  // (three) or "highest" (six).
  std::string precision = "default";
  // The level of the module: "input", or "graph", "layout" or "fusion" if passes have run already.
  std::string from = "input";
  // The shapes of all arguments, for a program whose types leave sizes open; empty for none.
  std::optional<std::vector<std::vector<int64_t>>> argumentShapes;
  // How many partitions the program is divided into; 1 for a program of one core, which the cores
  // of the target execute each by itself.
  int partitions = 1;
  // The cores of the slice that a program for several runs on, in the order of its partitions;
  // empty: the first ones of the target.
  std::vector<int> places;
  // Divide the operations of a program for several cores among them. Otherwise each core executes
  // those outside of manual computations on whole arrays, and takes its part of the results.
  bool divideOperations = true;
  // Keep intermediate bf16 and f16 results in f32 inside a fusion.
  bool excessPrecision = false;
  // Keep arrays in VMEM for several kernels, and copies in flight while kernels run, or while steps
  // of a loop over blocks do. A program that
  // the verifier refuses with it is compiled again without (program.proto, verifier_refusal).
  bool crossKernel = true;
  // The directory for the IR of every level, one file per level; "" for none.
  std::string dumpIrDir;
  // The file for the names of all passes, and whether each changed the IR; "" for none.
  std::string passChangesFile;
  // Print ops, bundles and time of each pass to stderr.
  bool timing = false;
  // Filled with the alternatives of each kernel, which asks the planner again. May be null.
  Decisions *decisions = nullptr;
  // Values that the program sends to the host while it runs; and operations that it computes in
  // wider types. Both name operations of the input level.
  std::optional<TapOptions> taps;
  std::optional<RaiseOptions> raise;
  // Polled often: the compilation ends with Cancelled if true. May be null.
  std::function<bool()> isCancelled;
  // Updated during the compilation. May be null.
  CompileProgress *progress = nullptr;
  // A further verifier of the emitted program, whose Internal errors are treated as those of the
  // compiler's own. May be null.
  std::function<absl::Status(const Program &)> verifier;
};

// InvalidArgument, which names the value `what`, for a precision that is not in CompileOptions.
absl::Status checkPrecision(llvm::StringRef precision, llvm::StringRef what);

// InvalidArgument, which names the value `what`, for a level that is not in CompileOptions.
absl::Status checkFrom(llvm::StringRef level, llvm::StringRef what);

// Compiles a module for `target`: `source` is StableHLO as text or portable artifact, or HLO as
// text or proto (see ReadHlo.h). `fileName` appears in locations. The entry is `@main` or the only
// public function. Invalid input is InvalidArgument, an unsupported feature is Unimplemented, and a
// program that exceeds a memory of the machine is ResourceExhausted, and a program that a verifier
// refuses, which is a fault of the compiler, is Internal; the message contains the rendered
// diagnostics with their locations. Cancelled as described in `options`.
absl::StatusOr<Program> compile(llvm::StringRef source, llvm::StringRef fileName,
                                const Target &target, const CompileOptions &options);

// Attributes of a module that clients read, by XLA's names.
struct EntryAttributes {
  // The dimensions of each array from minor to major.
  std::vector<std::vector<int64_t>> argumentLayouts, resultLayouts;
  // Of programs for several devices, as XLA writes them: "{devices=[2,1]0,1}". That of the results
  // is a list for several of them, and empty without results.
  std::vector<std::string> parameterShardings = {};
  std::string outputSharding = {};
};

// The StableHLO that compile() would use, as text in the public syntax, for any form of `source`;
// without shardings: a program for several devices becomes that of one core of `slice`, with
// collective operations. `attributes` become attributes of the module.
absl::StatusOr<std::string> toStableHLO(llvm::StringRef source, llvm::StringRef fileName,
                                        const EntryAttributes *attributes = nullptr,
                                        const Target *slice = nullptr);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_COMPILER_H
