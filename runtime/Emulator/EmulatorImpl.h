// What an emulator has: the program, its cores, and the network between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EMULATORIMPL_H
#define SYSTOLE_RUNTIME_EMULATOR_EMULATORIMPL_H

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/Emulator/Emulator.h"
#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Execution/Pausing.h"
#include "runtime/Emulator/Network/Windows.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole {

struct Emulator::Impl {
  static constexpr const char *kCancelled = "the run was cancelled";

  Impl(std::shared_ptr<const DecodedProgram> decoded, const EmulatorOptions &options);

  std::shared_ptr<const DecodedProgram> decoded;
  const Program *program;
  EmulatorOptions options;
  std::mutex logMutex;                                 // while a message is given to the host
  Machine *machine = nullptr;                          // that others use, too, or null,
  std::vector<int> places;                             // by core that of the slice
  int sliceCores = 0;                                  // of the network; 0 without one
  std::unique_ptr<const emulation::CoreTiming> timing; // of a machine of its own
  std::unique_ptr<emulation::Executor> executor;
  std::unique_ptr<emulation::Demand> demand; // with timingOnly
  std::vector<std::unique_ptr<emulation::Core>> cores;
  std::unique_ptr<emulation::Network> network; // of cores that send
  std::unique_ptr<emulation::Windows> windows;
  std::vector<emulation::Pausing> pausing; // by core, during a step that may pause
  std::optional<TrapInfo> trap;
  // Whether a run has begun, whose state is one that can be continued.
  bool isStarted = false;
  // By core: the last copies of memories, or null.
  std::vector<std::unique_ptr<emulation::MemoryImage>> images;
  uint64_t programHash = 0; // 0: not computed yet

  // The first byte and the number of bytes of a region in `space`.
  absl::StatusOr<std::pair<size_t, size_t>> rangeOf(program::Space space, int region,
                                                    int core) const;
  // The memory and the first word of a region that has room for so many bytes.
  absl::StatusOr<std::pair<program::Space, int64_t>> beginOf(int region, size_t bytes,
                                                             int core) const;
  // The contents of a region.
  absl::StatusOr<absl::Span<uint8_t>> bytesOf(program::Space space, int region, int core,
                                              bool isWritten) const;
  int64_t touchedBytes() const;
  static absl::Status noData() {
    return absl::FailedPreconditionError("a run for timing only has no data");
  }
  absl::Status loadConstants();
  // Timing only: the contents of HBM when a run begins.
  absl::Status loadKnown(const WriteArguments &arguments);
  void reset(const HostPorts &hosts);
  // Executes what issues before cycle `limit`; whether all cores have halted.
  absl::StatusOr<bool> advance(int64_t limit, std::atomic<int64_t> *cycles);
  RunStats collect();
  uint64_t hash();
  // FailedPrecondition if no run has begun, or it has trapped.
  absl::Status checkRuns() const;
  absl::StatusOr<RunStats> runForTiming(const HostPorts &hosts, std::atomic<int64_t> *cycles,
                                        const WriteArguments &arguments);
  // The network between the cores, which are of a slice of so many.
  void connect(int slice);
  void runAlone(emulation::Core &core, int64_t limit, std::atomic<int64_t> *cycles);
  void guard(emulation::Core &core, std::atomic<int64_t> *cycles);
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_EMULATORIMPL_H
