// Pages of a memory: which are in use, and what they hold for the next run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/MemorySpace.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace systole::emulation;

namespace {

class MemoryPages : public ::testing::Test {
protected:
  bool isZero(size_t page) const {
    const uint8_t *begin = memory->data() + page * Pages::kBytes;
    return std::all_of(begin, begin + Pages::kBytes, [](uint8_t byte) { return byte == 0; });
  }
  std::unique_ptr<MemorySpace> memory = *MemorySpace::create(3 * Pages::kBytes);
};

TEST_F(MemoryPages, AStoreIsNotedInEachRun) {
  for (int run = 0; run < 2; ++run) {
    memory->noteStore(1);
    memory->data()[Pages::kBytes + 7] = 5;
    EXPECT_TRUE(memory->pages().isUsed(1));
    EXPECT_TRUE(memory->pages().hasChanged(1));
    EXPECT_FALSE(memory->pages().isUsed(0));
    memory->pages().setUnchanged(1);
    EXPECT_FALSE(memory->pages().hasChanged(1));
    memory->noteStore(1);
    EXPECT_TRUE(memory->pages().hasChanged(1));
    memory->discardAll();
    EXPECT_TRUE(memory->pages().isStale(1));
    memory->noteLoad(1);
    EXPECT_FALSE(memory->pages().isStale(1));
    EXPECT_TRUE(isZero(1));
  }
}

// A page of which a part is stored to counts as zero elsewhere.
TEST_F(MemoryPages, AStoreToADiscardedPageZeroesTheRest) {
  memory->noteStore(1);
  memory->data()[Pages::kBytes + 7] = 5;
  memory->discardAll();
  memory->noteStore(1);
  EXPECT_TRUE(isZero(1));
  EXPECT_TRUE(memory->pages().hasChanged(1));
}

TEST_F(MemoryPages, AreMappedOnceUntilTheHostHasThemAgain) {
  Pages &pages = memory->pages();
  memory->noteStore(2);
  EXPECT_FALSE(pages.map(2));
  memory->discardAll();
  EXPECT_FALSE(pages.map(2));
  memory->noteStore(2);
  memory->data()[2 * Pages::kBytes] = 1;
  memory->releaseAll();
  EXPECT_TRUE(isZero(2));
  EXPECT_TRUE(pages.map(2));
}

} // namespace
