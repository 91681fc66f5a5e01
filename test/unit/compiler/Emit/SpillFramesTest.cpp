// Where the spill frames of routines lie, computed by hand from their call graph.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/SpillFrames.h"

#include "compiler/Schedule/MachineText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::machine {
namespace {

absl::StatusOr<SpillFrames> framesOf(llvm::StringRef text) {
  auto module = parse(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return placeSpillFrames(*module);
}

/// @main calls @outer and @leaf, and @outer calls @leaf.
constexpr const char *kNested = R"(
entry @main
routine @main() spills 8 2 {
  call @outer()
  call @leaf()
}
routine @outer() spills 16 1 {
  loop 4 {
    call @leaf()
  }
}
routine @leaf() spills 8 4 {
  block {
    s0 = s.mov 0
  }
}
)";

TEST(SpillFrames, LieAboveThoseOfAllCallers) {
  auto frames = framesOf(kNested);
  ASSERT_TRUE(frames.ok()) << frames.status();
  ASSERT_EQ(frames->base.size(), 3u);
  EXPECT_EQ(frames->base[0].rows, 0);
  EXPECT_EQ(frames->base[0].words, 0);
  // Above @main's frame.
  EXPECT_EQ(frames->base[1].rows, 8);
  EXPECT_EQ(frames->base[1].words, 2);
  // Above @main's and @outer's frames, though @main calls it directly as well.
  EXPECT_EQ(frames->base[2].rows, 8 + 16);
  EXPECT_EQ(frames->base[2].words, 2 + 1);
  EXPECT_EQ(frames->size.rows, 8 + 16 + 8);
  EXPECT_EQ(frames->size.words, 2 + 1 + 4);
  EXPECT_EQ(frames->callDepth, 2);
  EXPECT_EQ(frames->leafWords, 4);
}

TEST(SpillFrames, OfRoutinesThatNeverCallEachOtherOverlap) {
  auto frames = framesOf(R"(
entry @main
routine @main() {
  call @a()
  call @b()
}
routine @a() spills 8 3 {
}
routine @b() spills 24 1 {
}
)");
  ASSERT_TRUE(frames.ok()) << frames.status();
  EXPECT_EQ(frames->base[1].rows, 0);
  EXPECT_EQ(frames->base[2].rows, 0);
  EXPECT_EQ(frames->size.rows, 24);
  EXPECT_EQ(frames->size.words, 3);
}

TEST(SpillFrames, RefuseRecursion) {
  auto frames = framesOf(R"(
entry @main
routine @main() {
  call @a()
}
routine @a() {
  call @b()
}
routine @b() {
  call @a()
}
)");
  EXPECT_EQ(frames.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(frames.status().message(), testing::HasSubstr("calls itself"));
}

TEST(SpillFrames, ShareTheWordsThatAreLeft) {
  auto frames = framesOf(kNested);
  ASSERT_TRUE(frames.ok()) << frames.status();
  BackendOptions options;
  // Four words for @leaf; six are left for a chain of two callers.
  restrictFrames(*frames, 10, options);
  EXPECT_EQ(options.leafWords, 4);
  EXPECT_EQ(options.callerWords, 3);
  // Leaves get half at most.
  restrictFrames(*frames, 6, options);
  EXPECT_EQ(options.leafWords, 3);
  EXPECT_EQ(options.callerWords, 1);
  restrictFrames(*frames, -5, options);
  EXPECT_EQ(options.leafWords, 0);
  EXPECT_EQ(options.callerWords, 0);
}

} // namespace
} // namespace systole::machine
