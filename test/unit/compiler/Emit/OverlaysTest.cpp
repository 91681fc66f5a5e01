// Which routines share the instruction memory: sizes added up by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Routines by size in bundles and callees; the first is the entry.
class Overlays : public testing::Test {
protected:
  void add(const std::string &name, size_t bundles, const std::vector<uint32_t> &callees) {
    Function f;
    f.name = name;
    module.functions.push_back(std::move(f));
    RoutineCode code;
    code.bundles.resize(bundles);
    for (uint32_t callee : callees)
      code.calls.push_back({0, callee, -1});
    routines.push_back(std::move(code));
    module.main = 0;
  }

  /// 115 bundles; 28 of them stay: the entry, @shared and an `overlay` before each of three calls.
  void addProgram() {
    add("main", 10, {1, 2, 3});
    add("a", 40, {4});
    add("b", 30, {4});
    add("c", 20, {});
    add("shared", 15, {});
  }

  absl::StatusOr<std::vector<std::vector<uint32_t>>> pack(int64_t memoryBundles) {
    return packOverlays(module, routines, {memoryBundles, 1});
  }

  Module module;
  std::vector<RoutineCode> routines;
};

TEST_F(Overlays, AreNoneWhereEverythingFits) {
  addProgram();
  auto overlays = pack(115);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
}

TEST_F(Overlays, FillTheMemoryInTheOrderOfCalls) {
  addProgram();
  // 72 bundles beside those that stay hold @a and @b, but not @c as well.
  auto overlays = pack(100);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0, 4), ElementsAre(1, 2), ElementsAre(3)));
  // 40 hold @a alone, and not @b and @c (50) together.
  overlays = pack(68);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays,
              ElementsAre(ElementsAre(0, 4), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(Overlays, HoldTheCalleesOfOneRoutineBesideIt) {
  add("main", 10, {1, 2});
  add("a", 40, {3});
  add("b", 50, {});
  add("callee", 5, {});
  // 10 bundles and two `overlay`s stay; @a and its callee take 45.
  auto overlays = pack(62);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0), ElementsAre(1, 3), ElementsAre(2)));
}

TEST_F(Overlays, KeepASmallRoutineThatIsCalledAgainAndAgain) {
  add("main", 4, {1, 2, 1, 3, 1});
  add("often", 10, {});
  add("b", 50, {});
  add("c", 50, {});
  // In one overlay with @b it would be loaded again after @c: 60 + 50 + 60 bundles instead of
  // 50 + 50. The entry has five `overlay`s.
  auto overlays = pack(70);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
  // 49 bundles beside both have no room for @b.
  overlays = pack(68);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(Overlays, AreDividedWhereThatLoadsLess) {
  add("main", 4, {1, 2, 3, 2, 3});
  add("once", 40, {});
  add("b", 10, {});
  add("c", 55, {});
  // The entry has five `overlay`s. With @b in one overlay @once would be loaded twice: 50, 55, 50
  // and 55 bundles instead of 40, 10, 55, 10 and 55. 50 beside @b have no room for @c.
  auto overlays = pack(69);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(Overlays, KeepNoRoutineForWhichOthersHaveNoRoom) {
  add("main", 4, {1, 2, 1});
  add("often", 30, {});
  add("b", 50, {});
  auto overlays = pack(60);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST_F(Overlays, PlaceRoutinesThatNothingCalls) {
  add("main", 10, {1});
  add("a", 20, {});
  add("unused", 30, {});
  auto overlays = pack(50);
  ASSERT_TRUE(overlays.ok()) << overlays.status();
  EXPECT_THAT(*overlays, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST_F(Overlays, NameTheRoutineThatIsTooLarge) {
  addProgram();
  module.sources = {"model.mlir:7:3"};
  module.functions[1].loc = 0;
  auto overlays = pack(67);
  EXPECT_EQ(overlays.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(overlays.status().message(),
              HasSubstr("routine @a of model.mlir:7:3 takes 40 bundles"));
  EXPECT_THAT(overlays.status().message(), HasSubstr("28"));
  EXPECT_THAT(overlays.status().message(), HasSubstr("67"));
}

} // namespace
} // namespace systole::machine
