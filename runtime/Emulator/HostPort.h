// The host's side of a program's transfers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H
#define SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace systole {

// Called on the thread that runs the program, in the order in which it starts its copies. The
// host's response time does not count as cycles. An error ends the run with that status.
class HostPort {
public:
  virtual ~HostPort() = default;

  // Receives the words that a copy moves to region `region` of the host.
  virtual absl::Status send(int region, absl::Span<const uint32_t> words) = 0;
  // Fills the words that a copy moves from region `region` of the host; may wait, until
  // `cancel` (may be null) is true.
  virtual absl::Status receive(int region, absl::Span<uint32_t> words,
                               const std::atomic<bool> *cancel) = 0;
};

// The host's side of each core of a program, all of which one thread calls.
class HostPorts {
public:
  // One port for all cores, or none: null.
  HostPorts(HostPort *port = nullptr) : shared(port) {}
  // One for each core, in their order.
  explicit HostPorts(std::vector<HostPort *> byCore) : byCore(std::move(byCore)) {}

  HostPort *of(int core) const { return byCore.empty() ? shared : byCore.at(size_t(core)); }

private:
  HostPort *shared = nullptr;
  std::vector<HostPort *> byCore;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H
