// What happens beside a long run: a progress line, and Ctrl-C.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_PROGRESS_H
#define SYSTOLE_TOOLS_SYSTOLE_PROGRESS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace systole {

// While it lives, stderr shows the count of `cycles` a few times a second, if it
// is a terminal and the run takes longer than half a second. The line is wiped
// at the end.
class ProgressLine {
public:
  explicit ProgressLine(const std::atomic<int64_t> &cycles);
  ~ProgressLine();

private:
  void watch();

  const std::atomic<int64_t> &cycles;
  std::mutex mutex;
  std::condition_variable wake;
  bool finished = false;
  std::thread thread;
};

// While it lives, Ctrl-C sets the flag instead of ending the process; a second
// one ends it at once. At most one lives at a time.
class CancelOnInterrupt {
public:
  CancelOnInterrupt();
  ~CancelOnInterrupt();
  CancelOnInterrupt(const CancelOnInterrupt &) = delete;
  CancelOnInterrupt &operator=(const CancelOnInterrupt &) = delete;

  static std::atomic<bool> &flag();
};

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_PROGRESS_H
