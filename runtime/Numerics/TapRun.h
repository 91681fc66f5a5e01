// Runs of programs that send their values to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_TAPRUN_H
#define SYSTOLE_RUNTIME_NUMERICS_TAPRUN_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/Numerics/Taps.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Client/HostChannels.h"
#include "runtime/Device/Device.h"

namespace systole::numerics {

// Compiles the program that is looked into. The target is that of the caller.
using Compile = std::function<absl::StatusOr<Program>(const std::optional<TapOptions> &taps,
                                                      const std::optional<RaiseOptions> &raise)>;

// One value that a program has sent, row-major.
struct TapMessage {
  int core = 0;
  int64_t channel = 0;
  std::string dtype;
  std::vector<int64_t> dims;
  std::span<const uint8_t> bytes;
  int64_t execution = 0; // from 0: how often the core has sent over the channel before
};

// Receives the values of each core in program order, on the thread of the run. An error ends the
// run with that status.
using TapSink = std::function<absl::Status(const TapMessage &)>;

// The host's side of the transfers of a program, by core, for one run.
using MakeHost =
    std::function<absl::StatusOr<std::vector<HostChannels>>(const program::ProgramHeader &)>;

// Inputs of runs.
struct RunInputs {
  std::span<const HostArray> arguments;
  MakeHost host = nullptr; // null for programs that have nothing from the host
  const std::atomic<bool> *cancel = nullptr;
};

// Runs a program with the host's side of its taps; what it sends over other channels is discarded.
// An error of `host`, or Unimplemented if it is null and the program waits for the host. `cycles`,
// as Emulator::run has it, may be null.
absl::StatusOr<RunResult> runTapped(const Program &program, const Target &target,
                                    const RunInputs &inputs, const TapSink &sink,
                                    std::atomic<int64_t> *cycles = nullptr);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_TAPRUN_H
