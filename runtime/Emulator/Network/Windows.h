// The cores of a slice, executed window by window of time.
//
// Cores act on each other by messages alone, which take the network's least latency. So each of
// them executes on its own what it issues in a window of that length, and messages pass between
// windows: results and cycles do not depend on the order in which cores execute, nor on the number
// of host threads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_NETWORK_WINDOWS_H
#define SYSTOLE_RUNTIME_EMULATOR_NETWORK_WINDOWS_H

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Execution/Pausing.h"
#include "runtime/Emulator/Network/Network.h"
#include "runtime/Emulator/Threads/JobPool.h"

namespace systole::emulation {

class Windows {
public:
  using Cores = std::span<const std::unique_ptr<Core>>;
  // Cores of one chip are of one group, which one of `threads` host threads executes: those of the
  // pool, if no other run has them.
  Windows(Cores cores, Network &network, Executor &executor, int threads, int coresPerGroup);

  // Executes what issues before cycle `limit`. Between windows `guard` may end the run of a core.
  // True if all cores have halted, or one has trapped. `pausing`, by core, may be empty: the run
  // ends with the window in which one of them pauses.
  bool advance(int64_t limit, const std::function<void(Core &)> &guard,
               std::span<Pausing> pausing = {});
  // The core whose trap ended the run: that of the earliest bundle, or null.
  Core *trapped() const;

private:
  void execute(Core &core, int64_t end, Pausing *pausing) const;
  void executeGroup(int group, int64_t end, std::span<Pausing> pausing) const;
  void executeAll(int64_t end, std::span<Pausing> pausing, JobPool *pool) const;
  bool advanceWith(int64_t limit, const std::function<void(Core &)> &guard,
                   std::span<Pausing> pausing, JobPool *pool);
  // All cores wait, for what nothing in flight can bring.
  void failDeadlock();

  Cores cores;
  Network &network;
  Executor &executor;
  const int threads;
  const size_t coresPerGroup;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_NETWORK_WINDOWS_H
