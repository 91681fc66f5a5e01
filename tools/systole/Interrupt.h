// Ctrl-C during a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_INTERRUPT_H
#define SYSTOLE_TOOLS_SYSTOLE_INTERRUPT_H

#include <atomic>

namespace systole {

// During its lifetime Ctrl-C sets the flag instead of ending the process; a
// second one ends it at once. At most one instance exists at a time.
class CancelOnInterrupt {
public:
  CancelOnInterrupt();
  ~CancelOnInterrupt();
  CancelOnInterrupt(const CancelOnInterrupt &) = delete;
  CancelOnInterrupt &operator=(const CancelOnInterrupt &) = delete;

  static std::atomic<bool> &flag();
};

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_INTERRUPT_H
