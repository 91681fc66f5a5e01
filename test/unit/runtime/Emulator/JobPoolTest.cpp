// The pool of threads: each task once, steps one after the other, one user at a time.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Threads/JobPool.h"

#include <memory>
#include <random>

#include "gtest/gtest.h"

using namespace systole::emulation;

namespace {

class CountingJob : public Job {
public:
  explicit CountingJob(std::mt19937 &random) {
    for (int step = 1 + int(random() % 5); step > 0; --step)
      counts.push_back(1 + int(random() % 9));
    for (int count : counts)
      runs.push_back(std::make_unique<std::atomic<int>[]>(size_t(count)));
  }
  int steps() const override { return int(counts.size()); }
  int tasks(int step) const override { return counts[size_t(step)]; }
  void run(int step, int task) override {
    // All of the steps before have ended.
    for (int before = 0; before < step; ++before)
      for (int i = 0; i < tasks(before); ++i)
        isInOrder = isInOrder && runs[size_t(before)][size_t(i)] == 1;
    ++runs[size_t(step)][size_t(task)];
  }
  bool isDone() const {
    bool done = isInOrder;
    for (int step = 0; step < steps(); ++step)
      for (int i = 0; i < tasks(step); ++i)
        done = done && runs[size_t(step)][size_t(i)] == 1;
    return done;
  }

private:
  std::vector<int> counts;
  std::vector<std::unique_ptr<std::atomic<int>[]>> runs;
  std::atomic<bool> isInOrder = true;
};

TEST(JobPool, RunsEachTaskOnceAndStepsInOrder) {
  std::mt19937 random(1);
  JobPool *pool = JobPool::take(4);
  ASSERT_TRUE(pool);
  for (int i = 0; i < 20000; ++i) {
    CountingJob job(random);
    pool->start(job);
    pool->finish();
    ASSERT_TRUE(job.isDone()) << "job " << i;
  }
  pool->giveBack();
}

TEST(JobPool, BelongsToOneUser) {
  JobPool *pool = JobPool::take(2);
  ASSERT_TRUE(pool);
  std::thread other([] { EXPECT_FALSE(JobPool::take(2)); });
  other.join();
  pool->giveBack();
  EXPECT_FALSE(JobPool::take(1));
  pool = JobPool::take(2);
  ASSERT_TRUE(pool);
  pool->giveBack();
}

} // namespace
