// Whether the user has pressed Ctrl-C while the host waits for us.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H
#define SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H

#include <cstdint>

namespace systole {

// While one lives, SIGINT is noticed on its way to the host's own handler, which is called as ever.
// Where the host has no handler, or ignores the signal, nothing is changed. Any number may live, on
// any threads.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  // Whether the signal came since the construction.
  bool interrupted() const;

private:
  uint64_t before;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H
