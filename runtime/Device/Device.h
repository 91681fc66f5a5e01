// Execution of programs on an emulated machine with arrays of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_DEVICE_H
#define SYSTOLE_RUNTIME_DEVICE_DEVICE_H

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Emulator/Emulator.h"

namespace systole {

// Results as whole arrays, or the parts that cores have.
enum class ResultForm : uint8_t { Whole, Shards };

struct RunResult {
  std::vector<HostArray> results;             // none with timingOnly, or with ResultForm::Shards
  std::vector<std::vector<HostArray>> shards; // with it, of each result by core
  RunStats stats;
  // From row-major inputs to row-major outputs, on this host.
  double emulateSeconds = 0;
};

// A program loaded on a device. It may run many times, one run at a time.
class Executable {
public:
  const Program &program() const { return emulator->program(); }

  // Copies the arguments into HBM in their layouts, executes the program and copies the results
  // back. Of arrays that are divided among cores each gets its part, of others all. With timingOnly
  // the arguments may be left out, and those are copied on which control depends. InvalidArgument,
  // before anything runs, if they do not fit the signature; a trap, a cancellation or an exceeded
  // limit as described in Trap.h; Internal if cores have different values of the same part of a
  // whole result. `hosts` and `cycles` are those of Emulator::run.
  absl::StatusOr<RunResult> run(std::span<const HostArray> arguments, const HostPorts &hosts = {},
                                std::atomic<int64_t> *cycles = nullptr);

  // The same up to a cycle of each core: the state of the machine there. OutOfRange if the program
  // ends before it; FailedPrecondition with timingOnly.
  absl::StatusOr<Snapshot> runUntil(int64_t cycle, std::span<const HostArray> arguments,
                                    const HostPorts &hosts = {},
                                    std::atomic<int64_t> *cycles = nullptr);
  // Continues from such a state to the end. Errors of Emulator::restore and of `run`.
  absl::StatusOr<RunResult> resume(const Snapshot &snapshot, const HostPorts &hosts = {},
                                   std::atomic<int64_t> *cycles = nullptr);

  // Writes the arguments and hands over the machine with its program, for a run in steps. The
  // errors of `run` before anything runs.
  static absl::StatusOr<std::unique_ptr<Emulator>> prepare(Executable executable,
                                                           std::span<const HostArray> arguments);

  // The details of the trap that ended the last run, if one did.
  const std::optional<TrapInfo> &lastTrap() const { return emulator->lastTrap(); }

private:
  friend class Device;
  Executable(std::unique_ptr<Emulator> emulator, ResultForm form, bool timingOnly)
      : emulator(std::move(emulator)), form(form), timingOnly(timingOnly) {}

  absl::Status writeArguments(std::span<const HostArray> arguments,
                              const Emulator::IsAskedFor &isAskedFor);
  // Results and statistics of a run that began at `start`.
  absl::StatusOr<RunResult> resultOf(RunStats stats, std::chrono::steady_clock::time_point start);
  absl::Status readResult(int index, RunResult &result) const;

  std::unique_ptr<Emulator> emulator;
  ResultForm form;
  bool timingOnly;
};

// The contents of an argument or result in a core's memory, without padding of dimensions whose
// sizes are known when the program runs. Internal if these do not fit.
absl::StatusOr<HostArray> readTensor(const Emulator &emulator, const program::Tensor &tensor,
                                     int core = 0);

// A machine on which programs are loaded.
class Device {
public:
  // `options` hold for every program; objects that they point to must outlive the programs.
  explicit Device(Target target, EmulatorOptions options = {})
      : machine(std::move(target)), options(options) {}

  const Target &target() const { return machine; }

  // Verifies and decodes a program. InvalidArgument, with the position, if it fails verification or
  // does not fit the machine, or if that has fewer cores; ResourceExhausted if this host has too
  // little memory.
  absl::StatusOr<Executable> load(Program program, ResultForm form = ResultForm::Whole) const;

private:
  Target machine;
  EmulatorOptions options;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_DEVICE_H
