// Streams: tasks in order, one at a time.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <system_error>
#include <thread>

#include "test/unit/runtime/Client/NoThreads.h"

namespace systole {
namespace {

TEST(Stream, RunsTasksInOrder) {
  std::vector<int> order;
  {
    Stream stream;
    for (int i = 0; i < 100; ++i)
      stream.run([&order, i] { order.push_back(i); });
  } // waits
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Stream, KeepsNoTaskWithoutAThread) {
  std::vector<int> order;
  {
    Stream stream;
    {
      const NoThreads host;
      EXPECT_THROW(stream.run([&] { order.push_back(1); }), std::system_error);
    }
    stream.run([&] { order.push_back(2); });
  }
  EXPECT_THAT(order, testing::ElementsAre(2));
}

TEST(Stream, RunsHereOnlyIfIdle) {
  Stream stream;
  std::thread::id ran;
  stream.runHereIfIdle([&] { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());

  std::promise<void> go, done;
  std::vector<std::string> order;
  stream.run([&] {
    go.get_future().wait();
    order.push_back("first");
  });
  stream.runHereIfIdle([&] {
    ran = std::this_thread::get_id();
    order.push_back("second");
    done.set_value();
  });
  go.set_value();
  done.get_future().wait();
  EXPECT_NE(ran, std::this_thread::get_id());
  EXPECT_THAT(order, testing::ElementsAre("first", "second"));
}

TEST(Stream, TasksMayGiveTasks) {
  std::vector<int> order;
  {
    Stream stream;
    stream.runHereIfIdle([&] {
      stream.runHereIfIdle([&] { order.push_back(2); }); // not idle: this task runs
      order.push_back(1);
    });
  }
  EXPECT_THAT(order, testing::ElementsAre(1, 2));
}

TEST(Stream, SubmittersWaitForRoom) {
  std::promise<void> started, go;
  std::atomic<int> count = 0;
  Stream stream;
  stream.run([&] {
    started.set_value();
    go.get_future().wait();
    stream.waitForRoom(); // the task itself does not
  });
  started.get_future().wait();
  for (size_t i = 0; i < Stream::kMostAhead; ++i) {
    stream.waitForRoom();
    stream.run([&] { ++count; });
  }
  std::future<void> room = std::async(std::launch::async, [&] { stream.waitForRoom(); });
  EXPECT_EQ(room.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  EXPECT_EQ(count, 0);
  go.set_value();
  room.wait();
}

TEST(Stream, TasksOfThreadsDoNotOverlap) {
  int inside = 0, most = 0, count = 0;
  {
    Stream stream;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i)
          stream.runHereIfIdle([&] {
            most = std::max(most, ++inside);
            ++count;
            --inside;
          });
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(count, 800);
}

TEST(Stream, ATaskThatWaitsForTheHostLetsTheHostUseTheDevice) {
  Stream stream;
  std::vector<std::string> order;
  std::promise<void> done;
  stream.run([&] {
    EXPECT_FALSE(stream.isWaitingHere());
    {
      Stream::Waiting waiting(stream);
      EXPECT_TRUE(stream.isWaitingHere());
      stream.run([&] { order.push_back("nested"); });
      stream.runHereIfIdle([&] { order.push_back("here"); });
    }
    EXPECT_FALSE(stream.isWaitingHere());
    order.push_back("outer");
    done.set_value();
  });
  EXPECT_FALSE(stream.isWaitingHere());
  done.get_future().wait();
  EXPECT_THAT(order, testing::ElementsAre("nested", "here", "outer"));
}

} // namespace
} // namespace systole
