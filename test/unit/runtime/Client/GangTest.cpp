// Tasks of several streams: once, after what came before on each, before what comes after on any.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "test/unit/runtime/Client/NoThreads.h"

namespace systole {
namespace {

using testing::ElementsAre;

class Gang : public testing::Test {
protected:
  // The streams of these numbers.
  static std::vector<Stream *> some(std::array<Stream, 4> &streams,
                                    std::initializer_list<int> numbers) {
    std::vector<Stream *> result;
    for (int number : numbers)
      result.push_back(&streams[size_t(number)]);
    return result;
  }

  std::mutex order;
};

TEST_F(Gang, RunsOnceBehindEarlierTasksAndBeforeLaterOnes) {
  std::promise<void> go;
  std::mutex mutex;
  std::vector<std::string> events;
  auto note = [&](const char *event) {
    std::lock_guard lock(mutex);
    events.emplace_back(event);
  };
  {
    std::array<Stream, 4> streams;
    streams[2].run([&] {
      go.get_future().wait();
      note("before");
    });
    runOnAll(some(streams, {0, 1, 2}), order, [&] { note("gang"); }, /*mayRunHere=*/true);
    for (int number : {0, 1, 2})
      streams[size_t(number)].run([&] { note("after"); });
    // Another one goes on.
    std::promise<void> other;
    streams[3].run([&] { other.set_value(); });
    other.get_future().wait();
    {
      std::lock_guard lock(mutex);
      EXPECT_TRUE(events.empty());
    }
    go.set_value();
  }
  EXPECT_THAT(events, ElementsAre("before", "gang", "after", "after", "after"));
}

TEST_F(Gang, RunsHereOnlyIfAllAreIdle) {
  std::thread::id ran;
  std::promise<void> go, done;
  std::array<Stream, 4> streams;
  runOnAll(
      some(streams, {0, 1}), order, [&] { ran = std::this_thread::get_id(); }, /*mayRunHere=*/true);
  EXPECT_EQ(ran, std::this_thread::get_id());

  streams[1].run([&] { go.get_future().wait(); });
  runOnAll(
      some(streams, {0, 1}), order,
      [&] {
        ran = std::this_thread::get_id();
        done.set_value();
      },
      /*mayRunHere=*/true);
  // The idle one was not kept by the attempt.
  go.set_value();
  done.get_future().wait();
  EXPECT_NE(ran, std::this_thread::get_id());
}

// While it runs on the caller's thread, tasks of others wait.
TEST_F(Gang, HoldsItsStreamsWhileItRunsHere) {
  std::atomic<bool> isOver = false;
  std::vector<int> late;
  {
    std::array<Stream, 4> streams;
    runOnAll(
        some(streams, {1, 3}), order,
        [&] {
          streams[3].run([&] { late.push_back(isOver ? 1 : 0); });
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          isOver = true;
        },
        /*mayRunHere=*/true);
  }
  EXPECT_THAT(late, ElementsAre(1));
}

TEST_F(Gang, LetsItsStreamsGoIfOneOfThemHasNoThread) {
  std::vector<int> events;
  {
    std::array<Stream, 4> streams;
    std::promise<void> go;
    streams[0].run([&] { go.get_future().wait(); });
    {
      const NoThreads host;
      EXPECT_THROW(runOnAll(
                       some(streams, {0, 1}), order, [&] { events.push_back(1); },
                       /*mayRunHere=*/true),
                   std::system_error);
    }
    streams[0].run([&] { events.push_back(2); });
    go.set_value();
  }
  EXPECT_THAT(events, ElementsAre(2));
}

// From several threads, on subsets of all sizes in any order, among tasks of single streams.
TEST_F(Gang, OverlappingGangsEndInAnyOrderOfSubmission) {
  std::array<std::atomic<int>, 4> inside{};
  std::atomic<int> most = 0, count = 0;
  {
    std::array<Stream, 4> streams;
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed)
      threads.emplace_back([&, seed] {
        std::mt19937 random(seed);
        for (int i = 0; i < 150; ++i) {
          std::vector<size_t> numbers{0, 1, 2, 3};
          std::ranges::shuffle(numbers, random);
          numbers.resize(1 + random() % 4);
          auto task = [&, numbers] {
            for (size_t number : numbers)
              most = std::max<int>(most, ++inside[number]);
            for (size_t number : numbers)
              --inside[number];
            ++count;
          };
          if (numbers.size() == 1) {
            streams[numbers[0]].runHereIfIdle(task);
            continue;
          }
          std::vector<Stream *> members;
          for (size_t number : numbers)
            members.push_back(&streams[number]);
          runOnAll(members, order, task, /*mayRunHere=*/random() % 2 == 0);
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(count, 600);
}

} // namespace
} // namespace systole
