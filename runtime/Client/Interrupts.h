// Detection of Ctrl-C while the host waits for this library.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H
#define SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H

#include <cstdint>

namespace systole {

// During its lifetime SIGINT is recorded before the host's own handler is called. If the host
// has no handler, or ignores the signal, nothing is changed. Any number may exist, on any
// threads.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  // Whether the signal has arrived since construction.
  bool interrupted() const;

private:
  uint64_t before;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_INTERRUPTS_H
