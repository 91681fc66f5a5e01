// Ctrl-C during a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Interrupt.h"

#include <unistd.h>

#include <csignal>

namespace systole {

static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

std::atomic<bool> &CancelOnInterrupt::flag() {
  static std::atomic<bool> cancelled = false;
  return cancelled;
}

static void interrupted(int) {
  if (CancelOnInterrupt::flag().exchange(true))
    ::_exit(130);
}

CancelOnInterrupt::CancelOnInterrupt() {
  flag() = false;
  std::signal(SIGINT, interrupted);
}

CancelOnInterrupt::~CancelOnInterrupt() { std::signal(SIGINT, SIG_DFL); }

} // namespace systole
