// A line on the terminal about long-running tasks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_PROGRESSLINE_H
#define SYSTOLE_RUNTIME_REPORT_PROGRESSLINE_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include <unistd.h>

namespace systole {

// Shows the oldest task, as "Systole: 3 s, compiling @jit_step, systole-fuse", once it has taken
// `after`, updates it at each `interval`, and erases the line when no task is left. The cursor
// stays at the line's start, so that other output replaces it. May be used from any thread.
class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    int file = STDERR_FILENO;
    bool active = true;
    std::chrono::milliseconds after{500}, interval{200};
  };
  // Active if standard error is a terminal and the environment does not say SYSTOLE_PROGRESS=0.
  static Options forTerminal();

  explicit ProgressLine(Options options) : options(options) {}
  ProgressLine() : ProgressLine(forTerminal()) {}
  // No task may be left.
  ~ProgressLine();

  // The scope of a task. `describe` returns its name and progress, such as "compiling @jit_step,
  // systole-fuse"; another thread calls it.
  class Task {
  public:
    Task(ProgressLine &line, std::function<std::string()> describe);
    ~Task();
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;

  private:
    friend class ProgressLine;
    ProgressLine &line;
    std::function<std::string()> describe;
    Clock::time_point start;
    std::list<Task *>::iterator place;
  };

private:
  void watch();
  void show(Clock::time_point now);
  void wipe();

  const Options options;
  std::mutex mutex; // protects the members below
  std::condition_variable changed;
  std::list<Task *> tasks; // the oldest first
  bool isIdle = false;     // the thread waits for a task
  bool isShown = false;
  bool isClosing = false;
  std::thread thread; // since the first task
};

// "12,345 cycles (13.1 us)": the cycles of a run on a machine of `cyclesPerSecond`.
std::string cyclesSoFar(int64_t cycles, double cyclesPerSecond);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_PROGRESSLINE_H
