// What happens beside a long run: a progress line, and Ctrl-C.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Progress.h"

#include <unistd.h>

#include <chrono>
#include <csignal>

#include "runtime/Report/Table.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

ProgressLine::ProgressLine(const std::atomic<int64_t> &cycles) : cycles(cycles) {
  if (::isatty(STDERR_FILENO))
    thread = std::thread([this] { watch(); });
}

ProgressLine::~ProgressLine() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  wake.notify_one();
  thread.join();
}

void ProgressLine::watch() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  bool shown = false;
  std::unique_lock<std::mutex> lock(mutex);
  while (!wake.wait_for(lock, std::chrono::milliseconds(shown ? 200 : 500),
                        [this] { return finished; })) {
    const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
    llvm::errs() << "\r\033[K" << grouped(cycles.load(std::memory_order_relaxed))
                 << " cycles after " << elapsed.count() << " s";
    shown = true;
  }
  if (shown)
    llvm::errs() << "\r\033[K";
}

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
