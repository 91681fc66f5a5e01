// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/TapQueue.h"

#include <thread>

#include <gtest/gtest.h>

namespace systole::numerics {
namespace {

TapMessage message(int core, int64_t channel, std::span<const uint8_t> bytes) {
  return {core, channel, "f32", {}, bytes};
}

TEST(TapQueue, HandsMessagesOverInTheOrderOfEachCore) {
  TapQueue queue(2, 1 << 20);
  const std::vector<uint8_t> bytes = {1, 2, 3, 4};
  for (int channel = 0; channel < 3; ++channel)
    for (int core = 0; core < 2; ++core)
      ASSERT_TRUE(queue.put(message(core, 10 * core + channel, bytes)).ok());
  queue.finish(absl::OkStatus());
  for (int core : {1, 0})
    for (int channel = 0; channel < 3; ++channel)
      EXPECT_EQ((*queue.take(core))->channel, 10 * core + channel);
  EXPECT_EQ(*queue.take(0), std::nullopt);
}

// A writer of large messages does not run ahead, nor does it wait for a reader that waits for it.
TEST(TapQueue, WaitsWithoutDeadlock) {
  constexpr int kMessages = 200;
  TapQueue queue(2, 16);
  const std::vector<uint8_t> bytes(100);
  std::thread writer([&] {
    for (int i = 0; i < kMessages; ++i)
      EXPECT_TRUE(queue.put(message(0, i, bytes)).ok());
    EXPECT_TRUE(queue.put(message(1, 7, bytes)).ok());
    queue.finish(absl::OkStatus());
  });
  // The reader begins with the core that is written last.
  EXPECT_EQ((*queue.take(1))->channel, 7);
  for (int i = 0; i < kMessages; ++i)
    EXPECT_EQ((*queue.take(0))->channel, i);
  writer.join();
}

TEST(TapQueue, TellsTheErrorOfTheOtherRun) {
  TapQueue queue(1, 16);
  queue.finish(absl::InternalError("trap"));
  EXPECT_EQ(queue.take(0).status(), absl::InternalError("trap"));
}

TEST(TapQueue, EndsTheWriterOnceNobodyReads) {
  TapQueue queue(1, 0);
  std::thread reader([&] { queue.close(); });
  EXPECT_TRUE(absl::IsCancelled(queue.put(message(0, 1, {}))));
  reader.join();
}

} // namespace
} // namespace systole::numerics
