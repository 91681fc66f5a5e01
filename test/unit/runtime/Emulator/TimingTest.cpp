// Runs for timing that compute what control depends on.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

// Two kernels: `work` makes y of the argument x, and the first word of y is the number of turns of
// a loop in the other.
std::string program(const std::string &work) {
  return R"(
.program timing
.region x hbm 8
.region y hbm 8
.region unread hbm 8
.region a vmem 8
.region b vmem 8
.region w smem 128
.argument x i32[8,128] in x
.argument unread i32[8,128] in unread
.descriptor in hbm to vmem chunk 1024
.descriptor out vmem to hbm chunk 1024
.descriptor through hbm to hbm chunk 1024
.descriptor word hbm to smem chunk 128
.kernel "work" bundles 0 1
.kernel "rest" bundles 1 2
routine main {
  call work
  call rest
  halt
}
routine work {
)" + work +
         R"(
  ret
}
routine rest {
  dma.start dst=0, src=0, dstRegion=w, srcRegion=y, descriptor=word, flag=0
  wait 1, flag=0
  s1 = s.ld 0, region=w delay 3
  loop s1 {
    nop delay 99
  }
  ret
}
)";
}

const std::string kCopies = R"(
  dma.start dst=0, src=0, dstRegion=y, srcRegion=x, descriptor=through, flag=0
  wait 1, flag=0
)";

// The number, and one.
const std::string kComputes = R"(
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  v1 = vld.b32 0, region=a delay 3
  v1 = v.add v1, 1 delay 2
  vst.b32 v1, 0, region=b delay 3
  dma.start dst=0, src=0, dstRegion=y, srcRegion=b, descriptor=out, flag=0
  wait 1, flag=0
)";

const std::string kMultiplies = R"(
  mxu.push v0, 8 delay 150
  v1 = mxu.pop delay 3
  vst.b32 v1, 0, region=b delay 3
  dma.start dst=0, src=0, dstRegion=y, srcRegion=b, descriptor=out, flag=0
  wait 1, flag=0
)";

int64_t computed(const std::string &work, int32_t turns) {
  TextProgram machine(program(work));
  machine.write("x", std::vector<int32_t>(1024, turns));
  return machine.cycles();
}

struct Timed {
  absl::StatusOr<RunStats> stats;
  std::vector<std::string> loaded; // regions that were asked for in the last run
};

Timed timed(const std::string &work, int32_t turns, EmulatorOptions options = {}) {
  options.timingOnly = true;
  TextProgram machine(program(work), *Target::load("v2"), options);
  std::vector<std::string> loaded;
  auto arguments = [&](const Emulator::IsAskedFor &isAskedFor) {
    loaded.clear();
    for (const char *name : {"x", "unread"})
      if (isAskedFor(machine.region(name))) {
        loaded.push_back(name);
        machine.write(name, std::vector<int32_t>(1024, turns));
      }
    return absl::OkStatus();
  };
  absl::StatusOr<RunStats> stats = machine.emulator->run(nullptr, nullptr, arguments);
  return {std::move(stats), loaded};
}

TEST(Timing, FollowsIntegersThroughCopies) {
  for (int32_t turns : {0, 1, 7, 300}) {
    const Timed timing = timed(kCopies, turns);
    ASSERT_TRUE(timing.stats.ok()) << timing.stats.status();
    EXPECT_EQ(timing.stats->cycles, computed(kCopies, turns));
    EXPECT_THAT(timing.stats->assumptions, IsEmpty());
  }
  EXPECT_EQ(computed(kCopies, 7) - computed(kCopies, 6), 100);
}

TEST(Timing, ComputesKernelsThatControlDependsOn) {
  for (int32_t turns : {-1, 0, 41}) {
    const Timed timing = timed(kComputes, turns);
    ASSERT_TRUE(timing.stats.ok()) << timing.stats.status();
    EXPECT_EQ(timing.stats->cycles, computed(kComputes, turns));
    // The second run, of which alone there are statistics.
    EXPECT_EQ(timing.stats->kernels[0].calls, 1);
    EXPECT_THAT(timing.stats->assumptions, IsEmpty());
  }
}

TEST(Timing, DoesNotComputeProducts) {
  const Timed refused = timed(kMultiplies, 5);
  EXPECT_EQ(refused.stats.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(refused.stats.status().message()), HasSubstr("kernel `rest`"));
  EmulatorOptions options;
  options.assumedTrips = 9;
  const Timed timing = timed(kMultiplies, 5, options);
  ASSERT_TRUE(timing.stats.ok()) << timing.stats.status();
  ASSERT_EQ(timing.stats->assumptions.size(), 1u);
  EXPECT_EQ(timing.stats->assumptions[0].kind, Assumption::Kind::Trips);
}

TEST(Timing, KnowsNothingOfArgumentsThatAreNotGiven) {
  EmulatorOptions options;
  options.timingOnly = true;
  TextProgram machine(program(kCopies), *Target::load("v2"), options);
  EXPECT_EQ(machine.emulator->run().status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(machine.emulator->writeHbm(machine.region("x")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// Integers are loaded at first only up to a part of the cap, and on demand up to the cap.
TEST(Timing, HoldsNoMoreThanTheCap) {
  EmulatorOptions options;
  EXPECT_THAT(timed(kComputes, 3, options).loaded, ElementsAre("x", "unread"));
  options.memoryCapBytes = 1 << 20;
  EXPECT_THAT(timed(kComputes, 3, options).loaded, ElementsAre("x", "unread"));
  options.memoryCapBytes = 4096 * 16;
  EXPECT_THAT(timed(kComputes, 3, options).loaded, ElementsAre("x"));
  options.memoryCapBytes = 4095;
  const Timed refused = timed(kComputes, 3, options);
  EXPECT_THAT(refused.loaded, IsEmpty());
  EXPECT_EQ(refused.stats.status().code(), absl::StatusCode::kUnimplemented);
}

} // namespace
