// Compilation, of the C++ interface.
// See docs/decisions/client-library.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Compiler.h"

#include "runtime/Client/Guarded.h"
#include "runtime/Library/State.h"

namespace systole::v0 {

absl::Status CompileOptions::validate() const { return checkPrecision(precision, "the precision"); }

absl::StatusOr<Executable> compile(const Device &device, std::string_view source,
                                   const CompileOptions &options) {
  if (Access::isEmpty(device))
    return absl::InvalidArgumentError("the device is empty");
  if (absl::Status status = options.validate(); !status.ok())
    return status;
  if (isProgramFile(absl::string_view(source.data(), source.size())))
    return absl::InvalidArgumentError(
        "the source is a compiled program (.sysx); Executable::load takes it");
  const auto cancel = Access::flag(options.cancellation);
  if (cancel && *cancel)
    return absl::CancelledError("cancelled before the compilation began");
  // The caller's handle may be destroyed meanwhile.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Device held = device;
  Client &client = *Access::state(held).client;
  const Client::Call call(client);
  absl::StatusOr<std::shared_ptr<LoadedProgram>> program =
      client.compile(source, ClientCompileOptions{.precision = options.precision,
                                                  .excessPrecision = options.excessPrecision,
                                                  .fileName = options.fileName,
                                                  .argumentShapes = options.argumentShapes,
                                                  .cancel = cancel.get()});
  if (!program.ok())
    return program.status();
  return makeExecutable(held, *std::move(program));
}

absl::StatusOr<std::string> toStableHLO(std::string_view source, std::string_view fileName) {
  return systole::toStableHLO(source, fileName);
}

} // namespace systole::v0
