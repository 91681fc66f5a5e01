// Threads that look for tasks, and sleep after a while without one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Threads/JobPool.h"

#include <cassert>
#include <system_error>

#include "runtime/Emulator/Vector/Kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace systole::emulation {

// Jobs of a user follow each other within microseconds. So threads look for the next job before
// they sleep: some tens of microseconds, and then for some hundreds, unless others need the
// processor.
static constexpr int kSpins = 3000, kYields = 1000;

static void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

void Job::runAlone() {
  for (int step = 0; step < steps(); ++step)
    for (int task = 0; task < tasks(step); ++task)
      run(step, task);
}

JobPool *JobPool::take(int threads) {
  // It is never destroyed: its threads go on until the process ends, which may be a copy of this
  // one without them.
  static JobPool &pool = *new JobPool;
  if (threads < 2 || pool.isOwned.exchange(true, std::memory_order_acquire))
    return nullptr;
  pool.grow(threads - 1);
  if (!pool.threads.empty())
    return &pool;
  pool.giveBack();
  return nullptr;
}

void JobPool::giveBack() { isOwned.store(false, std::memory_order_release); }

void JobPool::grow(int count) {
  try {
    while (int(threads.size()) < count)
      threads.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    // The others do its work.
  }
}

void JobPool::start(Job &next) {
  assert(next.steps() > 0 && "a job has steps");
  assert(place.load() % kJob == kEnded && "no other job is under way");
  assert(next.steps() < int(kLow) && "steps have numbers of 16 bits");
  job.store(&next, std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  place.store((place.load(std::memory_order_relaxed) / kJob + 1) * kJob + uint64_t(next.tasks(0)));
  if (asleep.load() > 0) {
    started.fetch_add(1);
    started.notify_all();
  }
}

bool JobPool::takeTask(bool isUser) {
  uint64_t at = place.load(std::memory_order_acquire), next, low, high;
  do {
    low = at % kStep / kLow;
    high = at % kLow;
    if (low == high)
      return false;
    next = isUser ? at + kLow : at - 1;
  } while (!place.compare_exchange_weak(at, next, std::memory_order_acq_rel));
  Job &present = *job.load(std::memory_order_relaxed);
  const int step = int(at % kJob / kStep), tasks = present.tasks(step);
  present.run(step, int(isUser ? low : high - 1));
  if (done.fetch_add(1, std::memory_order_acq_rel) + 1 < tasks)
    return true;
  // Nobody else has a task of the job.
  done.store(0, std::memory_order_relaxed);
  const uint64_t begin = at / kJob * kJob;
  place.store(step + 1 == present.steps()
                  ? begin + kEnded
                  : begin + uint64_t(step + 1) * kStep + uint64_t(present.tasks(step + 1)),
              std::memory_order_release);
  return true;
}

// Waits a little, for the `times`th time.
static void waitSome(int times) { times < kSpins ? pause() : std::this_thread::yield(); }

void JobPool::finish() {
  for (int times = 0; place.load(std::memory_order_acquire) % kJob != kEnded; ++times)
    if (takeTask(true))
      times = 0;
    else
      waitSome(times);
}

void JobPool::work() {
  FlushDenormals flush;
  for (int spins = 0;;) {
    if (takeTask(false)) {
      spins = 0;
      continue;
    }
    if (++spins < kSpins + (isOwned.load(std::memory_order_relaxed) ? kYields : 0)) {
      waitSome(spins);
      continue;
    }
    // A job that starts from here on wakes this thread.
    const uint32_t seen = started.load();
    ++asleep;
    const uint64_t at = place.load();
    if (at % kStep / kLow == at % kLow)
      started.wait(seen);
    --asleep;
    spins = 0;
  }
}

} // namespace systole::emulation
