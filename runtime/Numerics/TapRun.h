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

// Runs a program with the host's side of its taps; what it sends over other channels is discarded.
// Unimplemented if it waits for the host. `cancel` and `cycles`, as Emulator::run has it, may be
// null.
absl::StatusOr<RunResult> runTapped(const Program &program, const Target &target,
                                    std::span<const HostArray> arguments, const TapSink &sink,
                                    const std::atomic<bool> *cancel = nullptr,
                                    std::atomic<int64_t> *cycles = nullptr);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_TAPRUN_H
