// Host threads that execute the cores of a slice together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Network/Workers.h"

#include <system_error>

#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::emulation {

// A window takes tens of microseconds, as long as it takes to wake a thread. So threads look for
// the next one before they sleep: often, and then for some 200 microseconds, unless others need the
// CPU.
static constexpr int kSpins = 1000, kYields = 400;

// Returns when `value` is no longer `old`.
static void waitFor(const std::atomic<uint32_t> &value, uint32_t old) {
  for (int i = 0; i < kSpins + kYields; ++i) {
    if (value.load(std::memory_order_acquire) != old)
      return;
    if (i >= kSpins)
      std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

Workers::Workers(int count) {
  try {
    for (int i = 1; i < count; ++i)
      threads.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    // The others do its work.
  }
}

Workers::~Workers() {
  ends = true;
  round.fetch_add(1, std::memory_order_release);
  round.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Workers::takeTasks() {
  for (int i = next.fetch_add(1, std::memory_order_relaxed); i < count;
       i = next.fetch_add(1, std::memory_order_relaxed))
    (*task)(i);
}

void Workers::work() {
  FlushDenormals flush;
  for (uint32_t seen = 0;;) {
    waitFor(round, seen);
    if (ends)
      return;
    seen = round.load(std::memory_order_acquire);
    takeTasks();
    if (working.fetch_sub(1, std::memory_order_acq_rel) == 1)
      working.notify_one();
  }
}

void Workers::run(int tasks, const std::function<void(int)> &function) {
  task = &function;
  count = tasks;
  next.store(0, std::memory_order_relaxed);
  working.store(uint32_t(threads.size()), std::memory_order_relaxed);
  if (!threads.empty()) {
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
  }
  takeTasks();
  for (uint32_t left = working.load(std::memory_order_acquire); left != 0;
       left = working.load(std::memory_order_acquire))
    waitFor(working, left);
}

} // namespace systole::emulation
