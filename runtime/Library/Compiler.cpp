// Compilation, of the C++ interface.
// See docs/decisions/client-library.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Compiler.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
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
  std::vector<Device> devices = options.devices;
  std::vector<int> numbers;
  for (const Device &each : devices) {
    if (Access::isEmpty(each))
      return absl::InvalidArgumentError("a device of the program is empty");
    if (Access::state(each).slice != Access::state(held).slice)
      return absl::InvalidArgumentError("the devices of a program are of several slices");
    if (std::ranges::find(numbers, each.number()) != numbers.end())
      return absl::InvalidArgumentError(
          absl::StrCat("device ", each.number(), " is given twice for one program"));
    numbers.push_back(each.number());
  }
  if (devices.empty())
    devices = {held};
  if (devices.size() == 1)
    numbers.clear();
  Client &client = Access::state(held).client();
  const Client::Call call(client);
  absl::StatusOr<std::shared_ptr<LoadedProgram>> program =
      client.compile(source, ClientCompileOptions{.precision = options.precision,
                                                  .excessPrecision = options.excessPrecision,
                                                  .fileName = options.fileName,
                                                  .argumentShapes = options.argumentShapes,
                                                  .devices = std::move(numbers),
                                                  .cancel = cancel.get()});
  if (!program.ok())
    return program.status();
  return makeExecutable(std::move(devices), *std::move(program));
}

absl::StatusOr<std::string> toStableHLO(std::string_view source, std::string_view fileName) {
  return systole::toStableHLO(source, fileName);
}

} // namespace systole::v0
