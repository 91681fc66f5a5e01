// Runs of several cores that go forwards and backwards, with one clock.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Session.h"

#include <algorithm>
#include <random>

#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

// Two cores send each other a block, four times; core 1 waits longer. The sum is bundle kSum.
constexpr const char *kPair = R"(
.program pair
.cores 2
.region x hbm 8
.region y hbm 8
.descriptor send hbm to hbm chunk 1024 arrival_flag 70
routine main {
  s1 = s.core
  s2 = s.xor s1, 1
  s5 = s.mov 0
  loop 4 {
    dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=s2, descriptor=send, flag=0
    wait 1, flag=0
    wait 1, flag=70
    if s1 {
      nop delay 20
    }
    s5 = s.add s5, 1
  }
  halt
}
)";

std::unique_ptr<Emulator> pair() {
  EmulatorOptions options;
  options.interprets = true;
  TextProgram program(kPair, Target::load("v2")->withCores(2), options);
  EXPECT_TRUE(program.emulator) << program.loadStatus;
  return std::move(program.emulator);
}

std::unique_ptr<Session> session(const SessionOptions &options = {}) {
  auto made = Session::create(pair(), options);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

Stop done(absl::StatusOr<Stop> stop) {
  EXPECT_TRUE(stop.ok()) << stop.status();
  return stop.ok() ? *stop : Stop{Stop::Kind::Cancel};
}

int64_t lengthOf() {
  std::unique_ptr<Session> run = session();
  EXPECT_EQ(done(run->run({})).kind, Stop::Kind::End);
  return run->cycle();
}

// The bundle that adds, and the rows of y as words to watch.
int64_t sumOf(const Session &run) { return int64_t(run.emulator().program().code.size()) - 2; }

// The cycles at which a bundle is the next one of some core, and these cores, by going from cycle
// to cycle without points.
std::vector<std::pair<int64_t, int>> stopsAt(int64_t bundle) {
  std::vector<std::pair<int64_t, int>> found;
  const int64_t length = lengthOf();
  std::unique_ptr<Session> run = session();
  for (int64_t cycle = 0; cycle < length; ++cycle) {
    done(run->seek(cycle));
    for (int core = 0; core < 2; ++core) {
      const ProgramPoint point = run->emulator().core(core).point();
      if (point.bundle == bundle && point.cycle == cycle && !point.isWaiting)
        found.push_back({cycle, core});
    }
  }
  return found;
}

PausePoints before(const Session &run, int64_t bundle) {
  PausePoints points;
  points.bundles.resize(run.emulator().program().code.size());
  points.bundles[size_t(bundle)] = true;
  return points;
}

const SessionOptions kEager{int64_t(1) << 30, 0, 7};

TEST(SliceSession, EachCycleHasOneState) {
  const int64_t length = lengthOf();
  std::mt19937 random(3);
  for (const SessionOptions &options : {kEager, SessionOptions()}) {
    std::unique_ptr<Session> run = session(options);
    for (int i = 0; i < 30; ++i) {
      const int64_t cycle = random() % length;
      done(run->seek(cycle));
      std::unique_ptr<Emulator> fresh = pair();
      ASSERT_TRUE(fresh->start().ok());
      ASSERT_TRUE(fresh->advance(cycle).ok());
      EXPECT_EQ(run->snapshot()->firstDifference(*fresh->snapshot()), "") << cycle;
    }
  }
}

TEST(SliceSession, StopsOnTheCoreThatIsThereFirst) {
  for (const SessionOptions &options : {kEager, SessionOptions()}) {
    std::unique_ptr<Session> run = session(options);
    const std::vector<std::pair<int64_t, int>> expected = stopsAt(sumOf(*run));
    ASSERT_EQ(expected.size(), 8u);
    const PausePoints points = before(*run, sumOf(*run));
    std::vector<std::pair<int64_t, int>> found;
    while (done(run->run(points)).kind == Stop::Kind::Point)
      found.push_back({run->cycle(), run->chosenCore()});
    EXPECT_EQ(found, expected);
    std::vector<std::pair<int64_t, int>> back;
    while (done(run->runBack(points)).kind == Stop::Kind::Point)
      back.push_back({run->cycle(), run->chosenCore()});
    std::ranges::reverse(back);
    EXPECT_EQ(back, expected);
  }
}

TEST(SliceSession, StepsTakeTheBundlesOfTheChosenCore) {
  std::unique_ptr<Session> run = session(kEager);
  for (int core : {1, 0}) {
    done(run->seek(600));
    run->chooseCore(core);
    done(run->step(1));
    done(run->stepBack(1));
    const int64_t cycle = run->cycle();
    auto state = run->snapshot();
    for (int64_t bundles : {1, 3, 9}) {
      done(run->step(bundles));
      done(run->stepBack(bundles));
      EXPECT_EQ(run->cycle(), cycle);
      EXPECT_EQ(run->snapshot()->firstDifference(*state), "") << core << " by " << bundles;
    }
  }
}

// Each core sends from its own memory.
TEST(SliceSession, WatchesTheWordsOfEachCore) {
  std::unique_ptr<Session> run = session();
  const program::ProgramHeader &header = run->emulator().program().header;
  PausePoints points;
  points.words.push_back({program::HBM, header.regions(0).base() * isa::kLanes, 8, /*reads=*/true});
  std::vector<int> cores;
  // Accesses of one cycle are one stop.
  for (Stop stop = done(run->run(points)); stop.kind == Stop::Kind::Point;
       stop = done(run->run(points)))
    for (const WatchHit &hit : stop.hits)
      cores.push_back(hit.core);
  std::ranges::sort(cores);
  EXPECT_EQ(cores, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

} // namespace
