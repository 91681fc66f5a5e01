// The host's end of a program's transfers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H
#define SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace systole {

// Called on the thread that runs the program, in the order in which it starts its copies. What the
// host takes to answer is no time of the device. An error ends the run with that status.
class HostPort {
public:
  virtual ~HostPort() = default;

  // Takes the words that a copy moves to region `region` of the host.
  virtual absl::Status send(int region, absl::Span<const uint32_t> words) = 0;
  // Fills the words that a copy moves from region `region` of the host; waits for them, but no
  // longer than until `cancel` (may be null) is true.
  virtual absl::Status receive(int region, absl::Span<uint32_t> words,
                               const std::atomic<bool> *cancel) = 0;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_HOSTPORT_H
