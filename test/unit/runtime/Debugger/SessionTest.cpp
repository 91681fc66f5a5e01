// Runs that go forwards and backwards: equal states, pauses, the last access to words, traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Session.h"

#include <algorithm>
#include <random>

#include "test/unit/runtime/Emulator/RandomProgram.h"
#include "test/unit/runtime/Emulator/Samples.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

std::unique_ptr<Emulator> emulatorOf(const std::string &text, const char *target = "v2") {
  EmulatorOptions options;
  options.interprets = true;
  return std::move(TextProgram(text, *Target::load(target), options).emulator);
}

std::unique_ptr<Session> sessionOf(const std::string &text, const SessionOptions &options = {},
                                   const char *target = "v2") {
  auto session = Session::create(emulatorOf(text, target), options);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

Stop done(absl::StatusOr<Stop> stop) {
  EXPECT_TRUE(stop.ok()) << stop.status();
  return stop.ok() ? *stop : Stop{Stop::Kind::Cancel};
}

// The state of a run that has never gone back.
Snapshot stateAt(const std::string &text, int64_t cycle) {
  std::unique_ptr<Emulator> emulator = emulatorOf(text);
  EXPECT_TRUE(emulator->start().ok());
  EXPECT_TRUE(emulator->advance(cycle).ok());
  auto snapshot = emulator->snapshot();
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  return *std::move(snapshot);
}

int64_t lengthOf(const std::string &text) {
  std::unique_ptr<Session> session = sessionOf(text);
  EXPECT_EQ(done(session->run({})).kind, Stop::Kind::End);
  return session->stats()->cycles;
}

PausePoints before(std::initializer_list<int64_t> bundles) {
  PausePoints points;
  for (int64_t bundle : bundles) {
    points.bundles.resize(std::max(points.bundles.size(), size_t(bundle) + 1));
    points.bundles[size_t(bundle)] = true;
  }
  return points;
}

// The cycles at which bundles issue, by stepping.
std::vector<std::pair<int64_t, int64_t>> issues(const std::string &text) {
  std::unique_ptr<Session> session = sessionOf(text);
  std::vector<std::pair<int64_t, int64_t>> found;
  do {
    const ProgramPoint point = session->core().point();
    if (!point.isWaiting)
      found.push_back({point.bundle, point.cycle});
  } while (done(session->step(1)).kind == Stop::Kind::Cycle);
  return found;
}

// A snapshot of each cycle, and none but the first two; steps of a cycle in both.
const SessionOptions kEager{int64_t(1) << 30, 0, 2}, kStingy{1, 0, 2};

TEST(Session, EachCycleHasOneState) {
  std::mt19937 random(7);
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const std::string text = RandomProgram(seed).text();
    const int64_t length = lengthOf(text);
    for (const SessionOptions &options : {kEager, kStingy, SessionOptions()}) {
      std::unique_ptr<Session> session = sessionOf(text, options);
      for (int i = 0; i < 12; ++i) {
        const int64_t cycle = random() % length;
        ASSERT_NE(done(session->seek(cycle)).kind, Stop::Kind::Cancel);
        auto state = session->snapshot();
        ASSERT_TRUE(state.ok()) << state.status();
        EXPECT_EQ(state->firstDifference(stateAt(text, cycle)), "") << seed << " at " << cycle;
      }
    }
  }
}

TEST(Session, StepsBackUndoSteps) {
  std::mt19937 random(11);
  for (const char *text : kSamples) {
    if (std::string(text).find(".cores") != std::string::npos ||
        std::string(text).find(" host ") != std::string::npos)
      continue;
    const char *target = std::string(text).find(".target v6e") != std::string::npos ? "v6e" : "v2";
    std::unique_ptr<Session> session = sessionOf(text, kEager, target);
    for (int i = 0; i < 8; ++i) {
      auto before = session->snapshot();
      ASSERT_TRUE(before.ok()) << before.status();
      const int64_t bundles = 1 + random() % 40;
      if (done(session->step(bundles)).kind != Stop::Kind::Cycle)
        break;
      done(session->stepBack(bundles));
      auto after = session->snapshot();
      ASSERT_TRUE(after.ok()) << after.status();
      EXPECT_EQ(after->firstDifference(*before), "") << bundles;
      done(session->step(1 + random() % 60));
      if (session->stats())
        break;
    }
  }
}

TEST(Session, PausesEachTimeThatABundleIssues) {
  const std::string text = RandomProgram(3).text();
  const auto all = issues(text);
  // One in the middle of a loop, which issues several times.
  const int64_t bundle = all[all.size() * 2 / 3].first;
  std::vector<int64_t> cycles;
  for (const auto &[issued, cycle] : all)
    if (issued == bundle)
      cycles.push_back(cycle);
  ASSERT_GT(cycles.size(), 1u);
  std::unique_ptr<Session> session = sessionOf(text, kEager);
  const PausePoints points = before({bundle});
  for (int64_t cycle : cycles) {
    EXPECT_EQ(done(session->run(points)).kind, Stop::Kind::Point);
    EXPECT_EQ(session->cycle(), cycle);
    EXPECT_EQ(session->core().point().bundle, bundle);
    EXPECT_EQ(session->snapshot()->firstDifference(stateAt(text, cycle)), "");
  }
  EXPECT_EQ(done(session->run(points)).kind, Stop::Kind::End);
  for (auto cycle = cycles.rbegin(); cycle != cycles.rend(); ++cycle) {
    EXPECT_EQ(done(session->runBack(points)).kind, Stop::Kind::Point);
    EXPECT_EQ(session->cycle(), *cycle);
    EXPECT_EQ(session->snapshot()->firstDifference(stateAt(text, *cycle)), "");
  }
  EXPECT_EQ(done(session->runBack(points)).kind, Stop::Kind::Start);
  EXPECT_EQ(session->cycle(), 0);
}

TEST(Session, FindsTheLastAccess) {
  for (uint32_t seed : {1u, 4u, 9u}) {
    const std::string text = RandomProgram(seed).text();
    std::unique_ptr<Session> session = sessionOf(text, kEager);
    const auto &header = session->emulator().program().header;
    const auto *region = std::ranges::find_if(header.regions(), [](const program::Region &r) {
                           return r.name() == "a";
                         }).operator->();
    PausePoints points;
    points.words.push_back({program::VMEM, (region->base() + 9) * isa::kLanes, isa::kLanes,
                            /*reads=*/false, /*writes=*/true});
    // Writes, found by comparing the words behind each bundle.
    std::vector<int64_t> changes;
    std::vector<uint32_t> last(isa::kLanes), now(isa::kLanes);
    do {
      ASSERT_TRUE(
          session->core().read(program::VMEM, points.words[0].first, absl::MakeSpan(now)).ok());
      if (now != last)
        changes.push_back(session->cycle());
      last = now;
    } while (done(session->step(1)).kind == Stop::Kind::Cycle);
    // By running to each of them; words that are written may be what they were.
    done(session->seek(0));
    std::vector<std::pair<int64_t, WatchHit>> hits;
    for (Stop stop = done(session->run(points)); stop.kind == Stop::Kind::Point;
         stop = done(session->run(points))) {
      ASSERT_TRUE(stop.hits.size() == 1 && stop.hits[0].isWrite);
      hits.push_back({session->cycle(), stop.hits[0]});
      EXPECT_EQ(session->core().point().last, stop.hits[0].bundle);
    }
    ASSERT_FALSE(hits.empty());
    for (int64_t change : changes)
      EXPECT_TRUE(std::ranges::any_of(hits, [&](auto &hit) { return hit.first == change; }))
          << change;
    for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
      const Stop stop = done(session->runBack(points));
      EXPECT_EQ(session->cycle(), hit->first);
      EXPECT_EQ(stop.hits, std::vector{hit->second});
    }
    EXPECT_EQ(done(session->runBack(points)).kind, Stop::Kind::Start);
  }
}

WatchedWords writesOf(program::Space space, int64_t word, int32_t owner = 0) {
  return {space, word, 1, /*reads=*/false, /*writes=*/true, owner};
}

TEST(Session, FindsAccessesOfTheLastBundle) {
  // Of the program, of one that waits, and of the one before the present.
  const std::string halt = R"(
.program halts
.region w smem 128
routine main {
  s1 = s.mov 5
  { s.st s1, 3, region=w
    halt }
}
)";
  std::unique_ptr<Session> session = sessionOf(halt);
  EXPECT_EQ(done(session->seek(1000)).kind, Stop::Kind::End);
  Stop stop = done(session->runBack({{}, {writesOf(program::SMEM, 3)}}, /*withLast=*/true));
  ASSERT_EQ(stop.hits.size(), 1u);
  EXPECT_EQ(stop.hits[0].bundle, 1);
  const std::string waits = R"(
.program waits
.region x hbm 8
.region a vmem 16
.region w smem 128
.descriptor in hbm to vmem chunk 1024
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  { s.st 7, 2, region=w
    wait 1, flag=0 }
  nop
  halt
}
)";
  for (int64_t present : {2, 100, 100000}) {
    session = sessionOf(waits);
    done(session->seek(present));
    stop = done(session->runBack({{}, {writesOf(program::SMEM, 2)}}, /*withLast=*/true));
    ASSERT_EQ(stop.hits.size(), 1u) << present;
    EXPECT_EQ(stop.hits[0].bundle, 1);
    EXPECT_EQ(session->core().point().last, 1);
  }
  // From behind the wait as well as from within it two bundles back is the start.
  for (int64_t present : {2, 100, 100000}) {
    session = sessionOf(waits);
    done(session->seek(present));
    if (session->core().point().last > 1)
      done(session->stepBack(session->core().point().last - 1));
    done(session->stepBack(2));
    EXPECT_EQ(session->core().point().last, -1) << present;
  }
  // A step of the wait is not one of a bundle.
  session = sessionOf(waits);
  done(session->step(3));
  EXPECT_EQ(session->core().point().last, 2);
  done(session->stepBack(3));
  EXPECT_EQ(session->core().point().last, -1);
  // More bundles than have issued lead to the start.
  done(session->step(3));
  done(session->stepBack(INT64_MAX));
  EXPECT_EQ(session->core().point().last, -1);
}

TEST(Session, TellsEachOwnerOfAnAccess) {
  const std::string text = R"(
.program masks
.region w smem 128
.region a vmem 16
routine main {
  { s1 = s.mov 5
    v1 = v.lane } delay 3
  m1 = v.lt v1, 64 delay 3
  { s.st s1, 3, region=w
    vst.b32 v1, 0, region=a, mask=m1 }
  nop
  halt
}
)";
  std::unique_ptr<Session> session = sessionOf(text);
  // Lane 100 is masked.
  const PausePoints points{{},
                           {writesOf(program::SMEM, 3, 1), writesOf(program::VMEM, 63, 2),
                            writesOf(program::VMEM, 100, 3), writesOf(program::VMEM, 128, 4)}};
  const Stop stop = done(session->run(points));
  std::vector<int32_t> owners;
  for (const WatchHit &hit : stop.hits)
    owners.push_back(hit.owner);
  std::ranges::sort(owners);
  EXPECT_EQ(owners, (std::vector<int32_t>{1, 2, 4}));
  EXPECT_EQ(done(session->run(points)).kind, Stop::Kind::End);
}

TEST(Session, StopsBeforeATrap) {
  const std::string text = R"(
.program early
.region x hbm 8
.region a vmem 8
.descriptor in hbm to vmem chunk 1024
routine main {
  s1 = s.mov 3
  nop delay 40
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  v1 = vld.b32 0, region=a delay 3
  wait 1, flag=0
  halt
}
)";
  std::unique_ptr<Session> session = sessionOf(text);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(done(session->run({})).kind, Stop::Kind::Trap);
    ASSERT_TRUE(session->trap());
    EXPECT_EQ(session->trap()->kind, TrapKind::MemoryOwned);
    EXPECT_EQ(session->core().point().bundle, session->trap()->bundle);
    EXPECT_EQ(session->core().copies().size(), 1u);
    EXPECT_EQ(session->core().scalar(1), 3u);
  }
  done(session->stepBack(1));
  EXPECT_FALSE(session->trap());
  EXPECT_TRUE(session->core().copies().empty());
}

TEST(Session, StopsWhenItIsCancelled) {
  const std::string text = RandomProgram(2).text();
  std::atomic<bool> cancel = false;
  auto session = Session::create(emulatorOf(text), {}, &cancel);
  ASSERT_TRUE(session.ok()) << session.status();
  done((*session)->seek(700));
  const int64_t cycle = (*session)->cycle();
  cancel = true;
  EXPECT_EQ(done((*session)->run({})).kind, Stop::Kind::Cancel);
  EXPECT_EQ((*session)->cycle(), cycle);
  cancel = false;
  EXPECT_EQ(done((*session)->run({})).kind, Stop::Kind::End);
}

TEST(Session, KeepsWithinItsBudget) {
  const std::string text = RandomProgram(5).text();
  std::unique_ptr<Session> all = sessionOf(text, kEager), few = sessionOf(text, kStingy);
  done(all->run({}));
  done(few->run({}));
  EXPECT_EQ(few->checkpoints().count(), 1u); // that of the start, which takes all
  EXPECT_LE(few->checkpoints().bytes(), all->checkpoints().bytes());
}

TEST(Session, RunsBackPastManyStops) {
  // 2,000 iterations, behind which nothing is at a point for a while.
  const std::string text = R"(
.program many
routine main {
  loop 2000 {
    s1 = s.add s1, 1
    nop
  }
  loop 3000 {
    nop
  }
  halt
}
)";
  for (const SessionOptions &options : {kEager, kStingy, SessionOptions()}) {
    std::unique_ptr<Session> session = sessionOf(text, options);
    ASSERT_EQ(done(session->run({})).kind, Stop::Kind::End);
    for (uint32_t left = 1999;; --left) {
      ASSERT_EQ(done(session->runBack(before({1}))).kind, Stop::Kind::Point);
      EXPECT_EQ(session->core().scalar(1), left);
      EXPECT_EQ(session->core().point().bundle, 1);
      if (left == 1990)
        break;
    }
  }
}

} // namespace
