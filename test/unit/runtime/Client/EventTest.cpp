// Events: one completion, any number of waiters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace systole {
namespace {

TEST(Event, CompletesOnceForAllCopies) {
  Event event;
  const Event copy = event;
  EXPECT_FALSE(copy.isReady());
  event.complete(absl::DataLossError("gone"));
  EXPECT_TRUE(copy.isReady());
  EXPECT_EQ(copy.await(), absl::DataLossError("gone"));
}

TEST(Event, CallbacksComeBeforeAndAfter) {
  Event event;
  std::vector<std::string> calls;
  event.onReady([&](const absl::Status &status) { calls.push_back("early " + status.ToString()); });
  EXPECT_TRUE(calls.empty());
  event.complete(absl::OkStatus());
  event.onReady([&](const absl::Status &status) { calls.push_back("late " + status.ToString()); });
  EXPECT_THAT(calls, testing::ElementsAre("early OK", "late OK"));
}

TEST(Event, ACallbackMayDropTheLastHandle) {
  auto event = std::make_unique<Event>();
  bool called = false;
  event->onReady([&](const absl::Status &) {
    event.reset();
    called = true;
  });
  const Event copy = *event;
  copy.complete(absl::OkStatus());
  EXPECT_TRUE(called);
}

TEST(Event, OtherThreadsWait) {
  Event event;
  absl::Status seen;
  std::thread waiter([&, event] { seen = event.await(); });
  event.complete(absl::CancelledError("no more"));
  waiter.join();
  EXPECT_EQ(seen, absl::CancelledError("no more"));
}

// Without another handle of the event: sanitizers see accesses to what is gone.
TEST(Event, LivesUntilItsCallbacksHaveReturned) {
  auto event = std::make_unique<Event>();
  absl::Status seen;
  event->onReady([&](const absl::Status &) { event.reset(); });
  event->onReady([&](const absl::Status &status) { seen = status; });
  event->complete(absl::CancelledError("no more"));
  EXPECT_EQ(seen, absl::CancelledError("no more"));
}

// A waiter wakes up and destroys the last handle while the event still notifies the others.
TEST(Event, LivesUntilItHasNotified) {
  for (int i = 0; i < 200; ++i) {
    auto event = std::make_unique<Event>();
    std::thread completer([&event = *event] { event.complete(absl::OkStatus()); });
    EXPECT_TRUE(event->await().ok());
    event.reset();
    completer.join();
  }
}

TEST(Event, ThereAreCompletedOnes) {
  EXPECT_TRUE(Event::completed().isReady());
  EXPECT_EQ(Event::completed(absl::AbortedError("x")).await(), absl::AbortedError("x"));
}

} // namespace
} // namespace systole
