// Programs on an emulated machine: arrays in, arrays and costs out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_DEVICE_H
#define SYSTOLE_RUNTIME_DEVICE_DEVICE_H

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Emulator/Emulator.h"

namespace systole {

struct RunResult {
  std::vector<HostArray> results; // none with timingOnly
  RunStats stats;
  // From row-major inputs to row-major outputs, on this host.
  double emulateSeconds = 0;
};

// A program loaded on a device. It may run many times, one run at a time.
class Executable {
public:
  const Program &program() const { return emulator->program(); }

  // Puts the arguments into HBM in their layouts, executes the program and
  // brings the results back. With several cores each gets the arguments, and the
  // results are those of core 0. With timingOnly the arguments may be left out.
  // InvalidArgument, before anything runs, if they do not fit the signature; a
  // trap, a cancellation or an exceeded limit as Trap.h says. `host` takes part in the program's
  // transfers, and `cycles` is updated, as Emulator::run says.
  absl::StatusOr<RunResult> run(std::span<const HostArray> arguments, HostPort *host = nullptr,
                                std::atomic<int64_t> *cycles = nullptr);

  // The parts of the trap that ended the last run, if one did.
  const std::optional<TrapInfo> &lastTrap() const { return emulator->lastTrap(); }

private:
  friend class Device;
  Executable(std::unique_ptr<Emulator> emulator, bool timingOnly)
      : emulator(std::move(emulator)), timingOnly(timingOnly) {}

  std::unique_ptr<Emulator> emulator;
  bool timingOnly;
};

// A machine that programs are loaded on.
class Device {
public:
  // `options` hold for every program; what they point to must outlive them.
  explicit Device(Target target, EmulatorOptions options = {})
      : machine(std::move(target)), options(options) {}

  const Target &target() const { return machine; }

  // Verifies and decodes a program. InvalidArgument, with the place, if it breaks
  // the machine's rules or does not fit it; ResourceExhausted if this host has
  // not the memory.
  absl::StatusOr<Executable> load(Program program) const;

private:
  Target machine;
  EmulatorOptions options;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_DEVICE_H
