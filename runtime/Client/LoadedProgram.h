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
#include "runtime/Client/ArrayBindings.h"
#include "runtime/Client/Hbm.h"
#include "runtime/Emulator/Emulator.h"

namespace systole {

// Bytes that a program uses on each of its devices during a run, from its static plan.
struct MemoryUse {
  int64_t arguments = 0;
  int64_t results = 0;
  int64_t aliased = 0;     // of results that reuse the memory of donated arguments
  int64_t temporaries = 0; // and constants
  int64_t peak = 0;
};

struct ProgramMemory {
  int64_t code = 0;
  MemoryUse device, host; // of HBM, and of the host's pinned memory
};

class LoadedProgram {
public:
  // `program` has passed verifyProgram for the target: one core, or a slice of at least as many as
  // the program is for. InvalidArgument if its arrays do not have the compiler's layouts,
  // Unimplemented if it is for several cores and exchanges data with the host while it runs.
  static absl::StatusOr<std::shared_ptr<LoadedProgram>> create(Program program,
                                                               const Target &target);

  const Program &program() const { return *code; }
  std::shared_ptr<const Program> sharedProgram() const { return code; }
  // Unique among the programs that this process loads.
  uint64_t id() const { return number; }
  const Target &target() const { return machine; }
  std::span<const std::shared_ptr<const ArrayType>> arguments() const { return argumentTypes; }
  std::span<const std::shared_ptr<const ArrayType>> results() const { return resultTypes; }
  // Whether an array of this type may be argument `number`: of the same type, or smaller in its
  // dynamic dimensions.
  bool accepts(size_t number, const ArrayType &type) const;
  // Where the program has an argument or result.
  program::Memory argumentMemory(size_t i) const { return code->header.arguments(int(i)).memory(); }
  program::Memory resultMemory(size_t i) const { return code->header.results(int(i)).memory(); }
  ProgramMemory memory() const;

  struct Run {
    // Those of the first core, of the second one, and so on.
    std::vector<std::shared_ptr<DeviceArray>> results;
    RunStats stats;
    double seconds = 0;          // on this host
    uint64_t profileSession = 0; // in which the run began
  };
  // Executes the program on the cores of `memories`, which are as many as it is for, of one
  // machine and each once, with the arrays where they are. `arguments` are those of the first core,
  // then those of the second one, and so on. Arguments must be accepted, and in their memories.
  // InvalidArgument if one is smaller than its type where the program's is not dynamic. Results of
  // the same type are the arguments at `donated`, unless these have other owners; an argument that
  // the program may write over, and that is not donated, or has other owners, is copied before.
  // Threads may run a program at the same time. ResourceExhausted if a device has no room for
  // results and temporaries; a trap or cancellation as described in Trap.h, which names the device
  // if there are several; an error of `hosts`, the other side of the program's transfers, is
  // returned unchanged. `cycles` is updated as described for Emulator::run.
  absl::StatusOr<Run> run(std::vector<std::shared_ptr<DeviceArray>> arguments,
                          std::span<const int64_t> donated,
                          absl::Span<const DeviceMemories *const> memories,
                          const std::atomic<bool> &cancel, const HostPorts &hosts = {},
                          std::atomic<int64_t> *cycles = nullptr);

  // Host seconds of the last run; 0 before the first.
  double lastSeconds() const { return recentSeconds.load(std::memory_order_relaxed); }

  // The statistics of a run, computed without data at the first call: where control depends on data
  // a loop has one iteration, and the costliest branch runs. DeadlineExceeded beyond a limit of
  // cycles.
  absl::StatusOr<RunStats> predict();

private:
  LoadedProgram(Program program, const Target &target, ArrayBindings bindings)
      : code(std::make_shared<const Program>(std::move(program))), machine(target),
        bindings(std::move(bindings)) {}

  // The arrays of one core in a run, and their places in memory.
  struct Arrays;

  // The array as argument `number` lies: padded, if it is smaller.
  absl::StatusOr<std::shared_ptr<DeviceArray>> padded(std::shared_ptr<DeviceArray> array,
                                                      size_t number, Hbm &hbm) const;
  // The arrays of a core whose first argument is number `first` of `arguments`.
  absl::StatusOr<Arrays> arraysOf(std::span<std::shared_ptr<DeviceArray>> arguments, size_t first,
                                  std::span<const int64_t> donated,
                                  const DeviceMemories &memories) const;
  absl::Status allocateResults(Arrays &arrays, const DeviceMemories &memories) const;
  // Gives a core of the emulator its arrays, and room for the rows of the plan that are of none.
  absl::Status place(Arrays &arrays, const DeviceMemories &memories, Emulator &emulator,
                     int core) const;
  absl::Status copyResults(Arrays &arrays, const Emulator &emulator, int core) const;
  // Decodes the program at the first call.
  absl::StatusOr<std::shared_ptr<const DecodedProgram>> decoded();

  static inline std::atomic<uint64_t> loaded = 0;

  const uint64_t number = ++loaded;
  std::shared_ptr<const Program> code;
  Target machine;
  ArrayBindings bindings;
  std::vector<std::shared_ptr<const ArrayType>> argumentTypes, resultTypes;

  std::mutex decodingMutex; // guards the next member
  std::shared_ptr<const DecodedProgram> decodedProgram;
  std::atomic<double> recentSeconds = 0;

  std::mutex predictionMutex;
  std::optional<absl::StatusOr<RunStats>> prediction;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_LOADEDPROGRAM_H
