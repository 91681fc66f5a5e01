// Which routines share the instruction memory, where, and when they are loaded: sizes and cycles
// added up by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::machine {

void PrintTo(const Overlay &overlay, std::ostream *os) {
  *os << testing::PrintToString(overlay.routines) << " at " << overlay.address;
}

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Field;
using testing::HasSubstr;
using testing::Matcher;

Matcher<Overlay> at(int64_t address, const std::vector<uint32_t> &routines) {
  return AllOf(Field(&Overlay::address, address),
               Field(&Overlay::routines, ElementsAreArray(routines)));
}

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

  /// A call of the entry takes so many cycles.
  void estimate(size_t call, int64_t cycles) {
    routines[0].calls[call].kernel = int32_t(module.kernels.size());
    module.kernels.emplace_back();
    module.kernels.back().estimate = cycles;
  }

  /// 115 bundles; 31 of them stay: the entry, @shared, and an `overlay` and an `overlay.start`
  /// before each of three calls.
  void addProgram() {
    add("main", 10, {1, 2, 3});
    add("a", 40, {4});
    add("b", 30, {4});
    add("c", 20, {});
    add("shared", 15, {});
  }

  /// The first bundle of an overlay arrives after 10 cycles, the others one a cycle, and HBM's
  /// channel has four times the rate.
  absl::StatusOr<OverlayPlan> plan(int64_t memoryBundles) {
    return planOverlays(module, routines, {memoryBundles, 10, 1, 0.25}, /*startsEarly=*/true);
  }

  Module module;
  std::vector<RoutineCode> routines;
};

TEST_F(Overlays, AreNoneWhereEverythingFits) {
  addProgram();
  auto result = plan(115);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 1, 2, 3, 4})));
}

TEST_F(Overlays, FollowOneAnotherAroundTheMemory) {
  addProgram();
  // @a and @b take 31 to 101; @c begins in front again. Each is loaded while the one before it
  // runs, which does not lie where it goes.
  auto result = plan(110);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 4}), at(31, {1}), at(71, {2}), at(31, {3})));
  EXPECT_THAT(result->uses.overlayOf,
              ElementsAre(testing::Pair(1, 1), testing::Pair(2, 2), testing::Pair(3, 3)));
  EXPECT_THAT(result->uses.starts, ElementsAre(2, 3, 0));
}

TEST_F(Overlays, AreNotLoadedOverTheOneThatRuns) {
  addProgram();
  // 45 bundles hold @a or @b; @c follows @b only where both fit.
  auto result = plan(76);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 4}), at(31, {1}), at(31, {2}), at(31, {3})));
  EXPECT_THAT(result->uses.starts, ElementsAre(0, 0, 0));
}

TEST_F(Overlays, HoldTheCalleesOfOneRoutineBesideIt) {
  add("main", 10, {1, 2});
  add("a", 40, {3});
  add("b", 50, {});
  add("callee", 5, {});
  auto result = plan(64);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0}), at(14, {1, 3}), at(14, {2})));
}

TEST_F(Overlays, KeepASmallRoutineThatIsCalledAgainAndAgain) {
  add("main", 4, {1, 2, 1, 3, 1});
  add("often", 10, {});
  add("b", 50, {});
  add("c", 50, {});
  // Else @often, @b and @c take one another's place: 10, 50, 10, 50 and 10 bundles.
  auto result = plan(74);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 1}), at(24, {2}), at(24, {3})));
  // 49 bundles beside both have no room for @b.
  result = plan(73);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0}), at(14, {1}), at(14, {2}), at(14, {3})));
}

TEST_F(Overlays, KeepARoutineDuringWhichOthersAreLoaded) {
  // Resident, @often runs while @b and @c are loaded, and is never loaded itself.
  add("main", 4, {1, 2, 1, 3});
  add("often", 30, {});
  add("b", 50, {});
  add("c", 52, {});
  for (size_t call = 0; call < 4; ++call)
    estimate(call, 100);
  auto result = plan(94);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 1}), at(42, {2}), at(42, {3})));
  EXPECT_THAT(result->uses.starts, ElementsAre(1, 0, 2, 0));
}

TEST_F(Overlays, OfALoopAreLoadedForItsNextIteration) {
  add("main", 4, {1, 2, 3, 4});
  add("before", 20, {});
  add("first", 20, {});
  add("second", 20, {});
  add("behind", 20, {});
  routines[0].loops.push_back({1, 3});
  // 12 bundles stay. Behind @second the loop goes back to @first, which is still there, so that
  // nothing happens then.
  auto result = plan(72);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays,
              ElementsAre(at(0, {0}), at(12, {1}), at(32, {2}), at(52, {3}), at(12, {4})));
  EXPECT_THAT(result->uses.starts, ElementsAre(2, 3, 2, 0));
}

TEST_F(Overlays, BeginNoLoadsEarlyWhereTheEntryTakesTheMemory) {
  addProgram();
  // One more bundle before each call, and @a does not fit.
  auto result = plan(70);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0, 4}), at(28, {1}), at(28, {2}), at(28, {3})));
  EXPECT_THAT(result->uses.starts, ElementsAre(0, 0, 0));
}

TEST_F(Overlays, PlaceRoutinesThatNothingCalls) {
  add("main", 10, {1});
  add("a", 20, {});
  add("unused", 30, {});
  auto result = plan(50);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->overlays, ElementsAre(at(0, {0}), at(12, {1}), at(12, {2})));
}

TEST_F(Overlays, NameTheRoutineThatIsTooLarge) {
  addProgram();
  module.sources = {"model.mlir:7:3"};
  module.functions[1].loc = 0;
  auto result = plan(67);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(result.status().message(),
              HasSubstr("routine @a of model.mlir:7:3 takes 40 bundles"));
  EXPECT_THAT(result.status().message(), HasSubstr("28"));
  EXPECT_THAT(result.status().message(), HasSubstr("67"));
}

} // namespace
} // namespace systole::machine
