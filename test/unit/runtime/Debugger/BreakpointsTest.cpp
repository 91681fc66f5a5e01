// Breakpoints with conditions, forwards and backwards.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Breakpoints.h"

#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

// Counts s1 from 0 to 5 in a loop whose second bundle is bundle 2.
constexpr const char *kLoop = R"(
.region result hbm 8
.result y f32[8, 128] in result
routine main {
  s1 = s.mov 0
  loop 5 {
    s1 = s.add s1, 1
    nop
  }
  halt
}
)";

std::unique_ptr<Session> session() {
  EmulatorOptions options;
  options.interprets = true;
  auto made =
      Session::create(std::move(TextProgram(kLoop, *Target::load("v2"), options).emulator), {});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

Breakpoint at(const Session &session, int64_t bundle, const char *condition) {
  Breakpoint breakpoint;
  breakpoint.number = 1;
  breakpoint.bundles = {bundle};
  absl::StatusOr<Condition> parsed = Condition::parse(session.emulator(), condition);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  breakpoint.condition = *std::move(parsed);
  return breakpoint;
}

// The bundle behind the addition.
int64_t behindAddition(const Session &session) {
  return int64_t(session.emulator().program().code.size()) - 2;
}

TEST(Breakpoints, StopWhereTheirConditionHolds) {
  std::unique_ptr<Session> run = session();
  std::vector<Breakpoint> breakpoints = {at(*run, behindAddition(*run), "s1 >= 2 and s1 != 3")};
  for (int32_t expected : {2, 4, 5}) {
    absl::StatusOr<BreakpointStop> stop = runOn(*run, breakpoints);
    ASSERT_TRUE(stop.ok()) << stop.status();
    EXPECT_EQ(stop->numbers, std::vector<int>{1});
    EXPECT_EQ(int32_t(run->core().scalar(1)), expected);
  }
  EXPECT_EQ(runOn(*run, breakpoints)->stop.kind, Stop::Kind::End);
  EXPECT_EQ(breakpoints.front().hits, 3);
  for (int32_t expected : {5, 4, 2}) {
    absl::StatusOr<BreakpointStop> stop = runBack(*run, breakpoints);
    ASSERT_TRUE(stop.ok()) << stop.status();
    EXPECT_EQ(int32_t(run->core().scalar(1)), expected);
  }
  EXPECT_EQ(runBack(*run, breakpoints)->stop.kind, Stop::Kind::Start);
  EXPECT_EQ(breakpoints.front().hits, 3);
}

TEST(Breakpoints, IgnoreHits) {
  std::unique_ptr<Session> run = session();
  std::vector<Breakpoint> breakpoints = {at(*run, behindAddition(*run), "s1 > 1")};
  breakpoints.front().ignored = 2;
  ASSERT_TRUE(runOn(*run, breakpoints).ok());
  EXPECT_EQ(int32_t(run->core().scalar(1)), 4);
}

TEST(Breakpoints, ConditionsOfTensors) {
  std::unique_ptr<Session> run = session();
  const Emulator &emulator = run->emulator();
  for (const auto &[text, expected] : {std::pair("out0[3, 5] == 0", true),
                                       {"y[:, 0] > 0", false},
                                       {"isnan(y)", false},
                                       {"isinf(y[0])", false},
                                       {"cycle == 0", true},
                                       {"flag3 < 1 and cycle <= 0", true},
                                       {"1 < out0", false}}) {
    absl::StatusOr<Condition> condition = Condition::parse(emulator, text);
    ASSERT_TRUE(condition.ok()) << condition.status();
    EXPECT_EQ(*condition->holds(emulator), expected) << text;
  }
  for (const char *text : {"", "s1", "s1 =", "z == 1", "s99 == 1", "y[9] == 0", "y[0] == y[:, 0]",
                           "isnan(z)", "s1 > 1 and"})
    EXPECT_FALSE(Condition::parse(emulator, text).ok()) << text;
}

} // namespace
