// Sequences of collectives between shardings.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/ReshardPlan.h"

#include <random>

#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"

namespace systole::partition {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const AxisPart kA{"a", 1, 2}, kB{"b", 1, 4}, kC{"c", 1, 2};

std::string nameOf(ReshardStep::Kind kind) {
  switch (kind) {
  case ReshardStep::Kind::AllReduce:
    return "all_reduce";
  case ReshardStep::Kind::ReduceScatter:
    return "reduce_scatter";
  case ReshardStep::Kind::Slice:
    return "slice";
  case ReshardStep::Kind::AllToAll:
    return "all_to_all";
  case ReshardStep::Kind::Permute:
    return "permute";
  case ReshardStep::Kind::AllGather:
    return "all_gather";
  case ReshardStep::Kind::Embed:
    return "embed";
  case ReshardStep::Kind::Mask:
    return "mask";
  }
  llvm_unreachable("unknown step");
}

// "all_to_all a" for each step.
std::vector<std::string> stepsOf(const Sharding &from, const Sharding &to) {
  std::vector<std::string> names;
  for (const ReshardStep &step : planReshard(from, to)) {
    std::string text = nameOf(step.kind);
    for (const AxisPart &axis : step.axes)
      text += " " + axis.name.str() +
              (axis.before > 1 || axis.size < 2 ? "/" + std::to_string(axis.before) : "");
    names.push_back(text);
  }
  return names;
}

TEST(ReshardPlan, MovesNothingBetweenEqualShardings) {
  EXPECT_THAT(stepsOf({{{kA}, {kB}}}, {{{kA}, {kB}}}), IsEmpty());
}

TEST(ReshardPlan, DividesBeforeItGathers) {
  EXPECT_THAT(stepsOf({{{kA}, {}}}, {{{}, {kB}}}), ElementsAre("slice b", "all_gather a"));
}

TEST(ReshardPlan, MovesAnAxisBetweenDimensions) {
  EXPECT_THAT(stepsOf({{{kA}, {}}}, {{{}, {kA}}}), ElementsAre("all_to_all a"));
  EXPECT_THAT(stepsOf({{{kA, kB}, {}}}, {{{kA}, {kB}}}), ElementsAre("all_to_all b"));
  EXPECT_THAT(stepsOf({{{kA, kB}, {}}}, {{{}, {kA, kB}}}), ElementsAre("all_to_all a b"));
}

TEST(ReshardPlan, PermutesPartsOfEqualSizes) {
  EXPECT_THAT(stepsOf({{{kA}}}, {{{kC}}}), ElementsAre("permute"));
  EXPECT_THAT(stepsOf({{{kA, kB}}}, {{{kB, kA}}}), ElementsAre("permute"));
}

TEST(ReshardPlan, PutsTheAxisThatMovesLast) {
  EXPECT_THAT(stepsOf({{{kA, kB}, {}}}, {{{kB}, {kA}}}), ElementsAre("permute", "all_to_all a"));
}

TEST(ReshardPlan, GathersLeastToExchangeAxes) {
  EXPECT_THAT(stepsOf({{{kA}, {kB}}}, {{{kB}, {kA}}}),
              ElementsAre("all_gather a", "all_to_all b", "slice a"));
}

TEST(ReshardPlan, GathersAPartOfAnAxis) {
  EXPECT_THAT(stepsOf({{{kB}}}, {{{{"b", 1, 2}}}}), ElementsAre("all_gather b/2"));
  EXPECT_THAT(stepsOf({{{{"b", 1, 2}}}}, {{{kB}}}), ElementsAre("slice b/2"));
}

TEST(ReshardPlan, SumsTerms) {
  EXPECT_THAT(stepsOf({{{}, {}}, {kA}}, {{{}, {}}}), ElementsAre("all_reduce a"));
  EXPECT_THAT(stepsOf({{{}, {}}, {kA}}, {{{}, {kA}}}), ElementsAre("reduce_scatter a"));
  EXPECT_THAT(stepsOf({{{}, {}}, {kA, kB}}, {{{}, {kA}}}),
              ElementsAre("reduce_scatter a", "all_reduce b"));
  EXPECT_THAT(stepsOf({{{kC}}, {}}, {{{}}, {kA}}), ElementsAre("all_gather c", "mask a"));
  EXPECT_THAT(stepsOf({{{kB}}, {kA}}, {{{kB}}, {kA}}), IsEmpty());
  EXPECT_THAT(stepsOf({{{kB, kA}}, {}}, {{{kB}}, {kA}}), ElementsAre("embed a"));
}

// Between any two shardings: each step follows from the one before, and the last has the target's
// parts.
TEST(ReshardPlan, EndsAtTheTarget) {
  std::mt19937 random(1);
  auto draw = [&](int64_t below) { return int64_t(random() % uint64_t(below)); };
  auto sharding = [&] {
    std::vector<AxisPart> axes = {kA, {"b", 1, 2}, {"b", 2, 2}, kC};
    std::shuffle(axes.begin(), axes.end(), random);
    Sharding result;
    result.dims.resize(3);
    for (const AxisPart &axis : axes)
      if (int64_t place = draw(5); place < 3)
        result.dims[size_t(place)].push_back(axis);
      else if (place == 3)
        result.unreduced.push_back(axis);
    return result;
  };
  for (int program = 0; program < 3000; ++program) {
    const Sharding from = sharding(), to = sharding();
    Sharding now = from;
    auto steps = planReshard(from, to);
    EXPECT_LE(steps.size(), 10u);
    for (const ReshardStep &step : steps) {
      Sharding next = now;
      switch (step.kind) {
      case ReshardStep::Kind::Permute:
        for (size_t d = 0; d < 3; ++d)
          EXPECT_EQ(now.parts(d), step.after.parts(d));
        next = step.after;
        EXPECT_EQ(now.unreduced, step.after.unreduced);
        break;
      case ReshardStep::Kind::AllGather:
      case ReshardStep::Kind::AllToAll:
        ASSERT_GE(now.dims[step.from].size(), step.axes.size());
        EXPECT_EQ(llvm::ArrayRef(now.dims[step.from]).take_back(step.axes.size()),
                  llvm::ArrayRef(step.axes));
        next.dims[step.from].pop_back_n(step.axes.size());
        if (step.kind == ReshardStep::Kind::AllToAll)
          llvm::append_range(next.dims[step.to], step.axes);
        break;
      case ReshardStep::Kind::AllReduce:
      case ReshardStep::Kind::ReduceScatter:
        llvm::erase_if(next.unreduced,
                       [&](const AxisPart &axis) { return llvm::is_contained(step.axes, axis); });
        EXPECT_EQ(next.unreduced.size() + step.axes.size(), now.unreduced.size());
        if (step.kind == ReshardStep::Kind::ReduceScatter)
          llvm::append_range(next.dims[step.to], step.axes);
        break;
      case ReshardStep::Kind::Slice:
        llvm::append_range(next.dims[step.to], step.axes);
        break;
      case ReshardStep::Kind::Embed:
        next.dims[step.from].pop_back_n(step.axes.size());
        llvm::append_range(next.unreduced, step.axes);
        break;
      case ReshardStep::Kind::Mask:
        next.unreduced = to.unreduced;
        break;
      }
      EXPECT_EQ(next, step.after);
      // No axis is used twice.
      llvm::SmallVector<AxisPart> used(next.unreduced);
      for (const auto &axes : next.dims)
        llvm::append_range(used, axes);
      for (size_t i = 0; i < used.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          EXPECT_FALSE(used[i].overlaps(used[j]));
      now = step.after;
    }
    EXPECT_EQ(now.dims, to.dims);
    EXPECT_EQ(now.unreduced.size(), to.unreduced.size());
  }
}

} // namespace
} // namespace systole::partition
