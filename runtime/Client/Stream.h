// The queue of a device, which executes one task after the other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_STREAM_H
#define SYSTOLE_RUNTIME_CLIENT_STREAM_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace systole {

// Calls `task`, which counts as a task of a stream.
void runAsTask(const std::function<void()> &task);

// Tasks run in the order of submission, one at a time, on a thread that starts with the first of
// them.
class Stream {
public:
  Stream() = default;
  // Waits for all tasks.
  ~Stream();

  // Throws std::system_error, and drops the task, if the host has no thread for it.
  void run(std::function<void()> task);
  // The same, but on the caller's thread and finished on return if the queue is empty: two
  // thread switches take longer than a small program.
  void runHereIfIdle(std::function<void()> task);
  // Takes the queue for the caller's thread if it is empty and no task runs: none runs until it is
  // given back.
  bool takeIfIdle();
  void giveBack();

  // During its lifetime, on the thread of a task that runs, or runs for this stream among others
  // (Gang.h), that task waits for the host: tasks submitted by the same thread run at once, since
  // they would otherwise never run.
  class Waiting {
  public:
    explicit Waiting(Stream &stream);
    ~Waiting();
    Waiting(const Waiting &) = delete;

  private:
    Stream &stream;
    bool outer;
    std::thread::id outerRunner;
  };
  // Whether the caller's thread is in such a scope.
  bool isWaitingHere();

  // Whether the caller is a task, or called by one.
  bool isRunningHere();

  // The number of tasks that may wait before submitters have to.
  static constexpr size_t kMostAhead = 32;
  // Returns once fewer tasks wait, or at once when called by a task of any stream, which others may
  // wait for: this bounds the memory of tasks that are submitted faster than they run.
  void waitForRoom();

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool busy = false;      // a task runs,
  std::thread::id runner; // on this thread,
  bool waiting = false;   // and waits for the host
  bool closing = false;
  std::thread thread;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_STREAM_H
