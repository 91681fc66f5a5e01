// The processors of the process.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Threads/HostThreads.h"

#include <algorithm>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace systole {

int hostThreads() {
#if defined(__linux__)
  // A set of fixed size has no more processors than most hosts have; else the host's number holds.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, int(std::thread::hardware_concurrency()));
}

} // namespace systole
