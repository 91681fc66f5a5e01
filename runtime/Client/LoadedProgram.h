// A program that devices of one kind can run on arrays in their memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_LOADEDPROGRAM_H
#define SYSTOLE_RUNTIME_CLIENT_LOADEDPROGRAM_H

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Client/Hbm.h"
#include "runtime/Emulator/Emulator.h"

namespace systole {

// Bytes of HBM that a program takes while it runs, as its static plan says.
struct ProgramMemory {
  int64_t code = 0;
  int64_t arguments = 0;
  int64_t results = 0;
  int64_t aliased = 0;     // of results that take the memory of donated arguments
  int64_t temporaries = 0; // and constants: all else
  int64_t peak = 0;
};

class LoadedProgram {
public:
  // Of a program that has passed verifyProgram for the target. InvalidArgument if it is for several
  // cores, or its arrays lie otherwise than the compiler lays them.
  static absl::StatusOr<std::shared_ptr<LoadedProgram>> create(Program program,
                                                               const Target &target);

  const Program &program() const { return *code; }
  std::shared_ptr<const Program> sharedProgram() const { return code; }
  // Another one for each program that this process loads.
  uint64_t id() const { return number; }
  const Target &target() const { return machine; }
  std::span<const std::shared_ptr<const ArrayType>> arguments() const { return argumentTypes; }
  std::span<const std::shared_ptr<const ArrayType>> results() const { return resultTypes; }
  ProgramMemory memory() const;

  struct Run {
    std::vector<std::shared_ptr<DeviceArray>> results;
    RunStats stats;
    double seconds = 0;          // on this host
    uint64_t profileSession = 0; // in which it began
  };
  // Arguments must match arguments(). The memory of those at `donated` becomes that of results of
  // the same type where nobody else holds it. One run at a time, others wait, unless the program
  // has transfers: what the host does for one run may need another. ResourceExhausted if `hbm` has
  // no room for results and temporaries; a trap or cancellation as Trap.h says, an error of `host`,
  // which takes part in the program's transfers, as it is. `cycles` is updated as Emulator::run
  // says.
  absl::StatusOr<Run> run(std::vector<std::shared_ptr<DeviceArray>> arguments,
                          std::span<const int64_t> donated, Hbm &hbm,
                          const std::atomic<bool> &cancel, HostPort *host = nullptr,
                          std::atomic<int64_t> *cycles = nullptr);

  // Host seconds of the last run; 0 before the first.
  double lastSeconds() const { return recentSeconds.load(std::memory_order_relaxed); }

  // The counts of a run, found without data at the first call: where control depends on data a
  // loop has one iteration, and of branches the costliest runs. DeadlineExceeded if it takes longer
  // than is worth while.
  absl::StatusOr<RunStats> predict();

private:
  LoadedProgram(Program program, const Target &target)
      : code(std::make_shared<const Program>(std::move(program))), machine(target) {}
  absl::StatusOr<std::vector<std::shared_ptr<DeviceArray>>>
  allocateResults(std::vector<std::shared_ptr<DeviceArray>> &arguments,
                  std::span<const int64_t> donated, Hbm &hbm) const;

  static inline std::atomic<uint64_t> loaded = 0;

  const uint64_t number = ++loaded;
  std::shared_ptr<const Program> code;
  Target machine;
  std::vector<std::shared_ptr<const ArrayType>> argumentTypes, resultTypes;

  // The emulator that is loaded and free, for a client with the flag `cancel`; or one of its own.
  absl::StatusOr<std::unique_ptr<Emulator>> takeEmulator(const std::atomic<bool> &cancel,
                                                         bool traces);

  std::mutex runMutex;      // held by a run, if there may be only one
  std::mutex emulatorMutex; // of what follows
  std::unique_ptr<Emulator> idleEmulator;
  const std::atomic<bool> *emulatorCancel = nullptr; // what the emulator watches
  bool emulatorTraces = false;
  std::atomic<double> recentSeconds = 0;

  std::mutex predictionMutex;
  std::optional<absl::StatusOr<RunStats>> prediction;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_LOADEDPROGRAM_H
