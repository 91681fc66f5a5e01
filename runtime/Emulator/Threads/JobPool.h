// The host's threads, which share the steps of one job.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_THREADS_JOBPOOL_H
#define SYSTOLE_RUNTIME_EMULATOR_THREADS_JOBPOOL_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace systole::emulation {

// Steps follow each other; the tasks of one are executed in any order, on any thread.
class Job {
public:
  virtual ~Job() = default;
  virtual int steps() const = 0;
  // At least one.
  virtual int tasks(int step) const = 0;
  virtual void run(int step, int task) = 0;

  // Executes all steps on this thread.
  void runAlone();
};

// One step, whose tasks are calls of a function.
class TaskJob final : public Job {
public:
  TaskJob() = default;
  TaskJob(int count, std::function<void(int)> task) : count(count), task(std::move(task)) {}
  int steps() const override { return 1; }
  int tasks(int) const override { return count; }
  void run(int, int number) override { task(number); }

private:
  int count = 0;
  std::function<void(int)> task;
};

// One pool of threads a process. It belongs to one user at a time.
class JobPool {
public:
  // The pool if nobody has it, with threads for `threads` together with the caller, else null. The
  // user gives it back.
  static JobPool *take(int threads);
  void giveBack();

  // Begins a job, of less than 2^16 steps and tasks of a step, which stays until `finish`. No other
  // one is under way.
  void start(Job &job);
  // Whether a job wakes threads, which takes some microseconds.
  bool sleeps() const { return asleep.load(std::memory_order_relaxed) > 0; }
  // Takes part in the job until it has ended.
  void finish();

private:
  static constexpr uint64_t kLow = uint64_t(1) << 16, kStep = kLow << 16, kJob = kStep << 16;
  // The step behind the last one.
  static constexpr uint64_t kEnded = kJob - kStep;

  JobPool() = default;
  void grow(int threads);
  void work();
  // Executes a task if there is one. The user takes the first ones of a step, other threads the
  // last ones: so that a thread finds in its caches what it had before.
  bool takeTask(bool isUser);

  std::vector<std::thread> threads;
  std::atomic<bool> isOwned = false;
  // The number of the job, the step, and the first task that nobody has taken and the one behind
  // the last. The job stays while a thread has a task.
  std::atomic<uint64_t> place = kEnded;
  std::atomic<Job *> job = nullptr;
  std::atomic<int> done = 0;        // tasks of the step
  std::atomic<uint32_t> asleep = 0; // threads
  std::atomic<uint32_t> started = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_THREADS_JOBPOOL_H
