// From StableHLO or HLO to executables.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_H
#define SYSTOLE_COMPILER_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "systole/device.h"
#include "systole/event.h"
#include "systole/executable.h"
#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

struct CompileOptions {
  /// How f32 operands of contractions reach the MXU: "default" (one bf16 pass), "high" (three) or
  /// "highest" (six).
  std::string precision = "default";
  /// Keep intermediate bf16 and f16 results in f32 inside a kernel.
  bool excessPrecision = false;
  /// The source's name in error messages.
  std::string fileName = "module";
  /// The shapes of all arguments, for a program whose types leave sizes open, as a model has that
  /// JAX exported with a symbolic batch. There is a program for each list of shapes, in a cache.
  std::optional<std::vector<std::vector<int64_t>>> argumentShapes = {};
  /// The devices that a program for several runs on, in the order of its partitions
  /// (`mhlo.num_partitions`), each once; none for a program of one device, which is loaded on
  /// the device that it is compiled for.
  std::vector<Device> devices = {};
  /// Cancels this compilation.
  std::optional<Cancellation> cancellation = {};

  /// InvalidArgument if an option has no such value. compile() checks, too.
  SYSTOLE_EXPORT absl::Status validate() const;
};

/// Compiles `source` for a device: StableHLO as text or as portable artifact (0.9 and later), or
/// HLO as text or as serialized proto, told apart by their contents. The entry is `@main` or the
/// only public function.
///
/// InvalidArgument for malformed sources and for devices of another slice, Unimplemented for
/// unsupported operations and types, ResourceExhausted for programs that the machine has too little
/// memory for, Cancelled. The message is a line for the error and each of its notes,
/// "file:line:column: error: ...".
SYSTOLE_EXPORT absl::StatusOr<Executable> compile(const Device &device, std::string_view source,
                                                  const CompileOptions &options = {});

/// The StableHLO text that compile() reads `source` as. Errors as compile()'s.
SYSTOLE_EXPORT absl::StatusOr<std::string> toStableHLO(std::string_view source,
                                                       std::string_view fileName = "module");

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_COMPILER_H
