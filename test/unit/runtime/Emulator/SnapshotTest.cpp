// Snapshots: equal states, continued runs, files that are damaged.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <random>

#include "test/unit/runtime/Emulator/Samples.h"
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

using namespace systole;
using namespace systole::test;

namespace {

// Two cores: both add to a flag of core 1 and send it a block, with copies of their own in flight.
const char *const exchange = R"(
.program exchange
.cores 2
.region x hbm 64
.region y hbm 64
.region a vmem 8
.region b vmem 8
.region c vmem 8
.constant x f32 splat 1.5 count 8192
.descriptor in hbm to vmem chunk 1024
.descriptor send vmem to vmem chunk 1024 arrival_flag 6
.descriptor out vmem to hbm chunk 1024
.descriptor slow hbm to hbm chunk 4096
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  flag.add 1, 1, flag=5
  s2 = s.mov 0
  dma.start dst=32, src=0, dstRegion=y, srcRegion=x, descriptor=slow, flag=8
  loop 60 {
    v1 = vld.b32 s2, region=c delay 3
    v1 = v.fadd v1, 1.0 delay 2
    vst.b32 v1, s2, region=c delay 7
  }
  nop delay 600
  s1 = flag.read flag=5
  if s1 {
    wait 2, flag=5
    dma.send dst=0, src=0, dstRegion=c, srcRegion=a, core=1, descriptor=send, flag=9
    wait 2, flag=6
    wait 1, flag=9
    dma.start dst=0, src=0, dstRegion=y, srcRegion=b, descriptor=out, flag=7
    wait 1, flag=7
  } else {
    dma.send dst=0, src=0, dstRegion=b, srcRegion=a, core=1, descriptor=send, flag=9
    wait 1, flag=9
    nop delay 1200
  }
  wait 1, flag=8
  halt
}
)";

Target targetOf(const std::string &text) {
  const bool isPair = text.find(".cores 2") != std::string::npos;
  return isPair ? Target::load("v2")->withCores(2) : *Target::load("v2");
}

RunStats finish(Emulator &emulator) {
  auto done = emulator.advance(INT64_MAX);
  EXPECT_TRUE(done.ok()) << done.status();
  EXPECT_TRUE(done.ok() && done->has_value());
  return done.ok() && done->has_value() ? **done : RunStats();
}

std::vector<std::vector<uint8_t>> hbmOf(const Emulator &emulator) {
  std::vector<std::vector<uint8_t>> contents;
  const auto &header = emulator.program().header;
  for (int core = 0; core < header.cores(); ++core)
    for (int region = 0; region < header.regions_size(); ++region)
      if (header.regions(region).space() == program::HBM) {
        auto bytes = emulator.readHbm(region, core);
        EXPECT_TRUE(bytes.ok()) << bytes.status();
        contents.emplace_back(bytes->begin(), bytes->end());
      }
  return contents;
}

class Snapshots : public testing::TestWithParam<const char *> {};

INSTANTIATE_TEST_SUITE_P(Programs, Snapshots, testing::Values(kSamples[0], kSamples[1], exchange));

// At each cycle of the run, also inside of blocks and waits, a machine that is restored from the
// file has the same state, and ends with the same bits, cycles and statistics.
TEST_P(Snapshots, ContinueAtAnyCycle) {
  const Target target = targetOf(GetParam());
  TextProgram whole(GetParam(), target), steps(GetParam(), target);
  const int64_t cycles = whole.cycles();
  ASSERT_GT(cycles, 0);
  const auto expected = hbmOf(*whole.emulator);
  const std::string path = testing::TempDir() + "systole-snapshot-test";
  ASSERT_TRUE(steps.emulator->start().ok());
  std::mt19937 random(7);
  for (int64_t cycle = 0; cycle < cycles; cycle += 1 + int64_t(random() % 40)) {
    auto done = steps.emulator->advance(cycle);
    ASSERT_TRUE(done.ok()) << done.status();
    ASSERT_FALSE(done->has_value());
    auto snapshot = steps.emulator->snapshot();
    ASSERT_TRUE(snapshot.ok()) << snapshot.status();
    ASSERT_TRUE(snapshot->write(path).ok());
    auto read = Snapshot::read(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(snapshot->firstDifference(*read), "");
    TextProgram other(GetParam(), target);
    absl::Status restored = other.emulator->restore(*read);
    ASSERT_TRUE(restored.ok()) << restored << " at cycle " << cycle;
    EXPECT_EQ(snapshot->firstDifference(*other.emulator->snapshot()), "");
    // Both go on for a while, and are in the same state again.
    ASSERT_TRUE(other.emulator->advance(cycle + 60).ok());
    ASSERT_TRUE(steps.emulator->advance(cycle + 60).ok());
    EXPECT_EQ(steps.emulator->snapshot()->firstDifference(*other.emulator->snapshot()), "");
    const RunStats stats = finish(*other.emulator);
    EXPECT_EQ(stats.cycles, cycles);
    EXPECT_EQ(stats.total.waitCycles, whole.stats.total.waitCycles);
    EXPECT_EQ(stats.total.use.bundles, whole.stats.total.use.bundles);
    EXPECT_EQ(stats.total.hbmCycles, whole.stats.total.hbmCycles);
    EXPECT_EQ(hbmOf(*other.emulator), expected);
    cycle += 60;
  }
  EXPECT_EQ(finish(*steps.emulator).cycles, cycles);
  EXPECT_EQ(hbmOf(*steps.emulator), expected);
  std::remove(path.c_str());
}

// A core that reads what another one has sent, without waiting for it: in parts, too.
TEST(Snapshot, StopsChangeNoRace) {
  const char *text = R"(
.program race
.cores 2
.region y hbm 8
.region a vmem 8
.region b vmem 8
.descriptor send vmem to vmem chunk 1024 arrival_flag 6
.descriptor out vmem to hbm chunk 1024
routine main {
  { s4 = s.mov 0
    v0 = v.mov 9.0 }
  nop delay 5
  vst.b32 v0, s4, region=a delay 20
  flag.add 1, 0, flag=5
  nop delay 5
  s1 = flag.read flag=5
  if s1 {
    nop delay 2000
    nop delay 2000
    v1 = vld.b32 s4, region=b delay 15
    vst.b32 v1, s4, region=a delay 20
    dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=7
    wait 1, flag=7
  } else {
    dma.send dst=0, src=0, dstRegion=b, srcRegion=a, core=0, descriptor=send, flag=6
    nop delay 3000
    wait 1, flag=6
  }
  halt
}
)";
  const Target target = Target::load("v2")->withCores(2);
  TextProgram whole(text, target);
  ASSERT_GT(whole.cycles(), 0);
  EXPECT_EQ(whole.read<float>("y")[0], 9.0f);
  for (int64_t cycle = 0; cycle < 4000; cycle += 100) {
    TextProgram first(text, target), second(text, target);
    ASSERT_TRUE(first.emulator->start().ok());
    ASSERT_TRUE(first.emulator->advance(cycle).ok());
    absl::Status restored = second.emulator->restore(*first.emulator->snapshot());
    ASSERT_TRUE(restored.ok()) << restored << " at cycle " << cycle;
    EXPECT_EQ(finish(*second.emulator).cycles, whole.stats.cycles);
    EXPECT_EQ(hbmOf(*second.emulator), hbmOf(*whole.emulator)) << cycle;
  }
}

// A state differs from the one a cycle later, and the place of the difference is named.
TEST(Snapshot, NamesTheFirstDifference) {
  TextProgram machine(kSamples[0]);
  ASSERT_TRUE(machine.emulator->start().ok());
  ASSERT_TRUE(machine.emulator->advance(0).ok());
  auto before = machine.emulator->snapshot();
  ASSERT_TRUE(machine.emulator->advance(1).ok());
  auto after = machine.emulator->snapshot();
  EXPECT_EQ(before->firstDifference(*before), "");
  EXPECT_EQ(before->firstDifference(*after), "core 0: clock");
  EXPECT_EQ(after->cycle(), 1);
}

TEST(Snapshot, BelongsToItsProgram) {
  TextProgram machine(kSamples[0]), other(kSamples[1]);
  ASSERT_TRUE(machine.emulator->start().ok());
  absl::Status restored = other.emulator->restore(*machine.emulator->snapshot());
  EXPECT_EQ(restored.message(), "the snapshot is of another program or machine");
}

TEST(Snapshot, NeedsARunThatCanGoOn) {
  TextProgram machine(R"(
.program trap
.trap "always"
routine main {
  trap 1, "always"
  halt
}
)");
  EXPECT_FALSE(machine.emulator->snapshot().ok());
  EXPECT_FALSE(machine.emulator->advance(10).ok());
  ASSERT_TRUE(machine.emulator->start().ok());
  auto before = machine.emulator->snapshot();
  ASSERT_TRUE(before.ok()) << before.status();
  absl::Status trap = machine.emulator->advance(INT64_MAX).status();
  EXPECT_FALSE(machine.emulator->snapshot().ok());
  // The trap comes again.
  ASSERT_TRUE(machine.emulator->restore(*before).ok());
  EXPECT_EQ(machine.emulator->advance(INT64_MAX).status(), trap);

  EmulatorOptions timing;
  timing.timingOnly = true;
  TextProgram timed(kSamples[0], *Target::load("v2"), timing);
  EXPECT_FALSE(timed.emulator->start().ok());
  EXPECT_FALSE(timed.emulator->restore(*before).ok());
}

// The digest at the end of a file.
void sign(std::string &bytes) {
  constexpr size_t size = Snapshot::kDigestBytes;
  auto digest = llvm::BLAKE3::hash<size>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size() - size));
  std::copy(digest.begin(), digest.end(), bytes.end() - size);
}

// Whatever a file has, it is refused, or the run goes on to a trap or to its end.
TEST(Snapshot, DamagedFiles) {
  EmulatorOptions options;
  options.maxCycles = 50000;
  TextProgram machine(kSamples[1], *Target::load("v2"), options);
  ASSERT_TRUE(machine.emulator->start().ok());
  ASSERT_TRUE(machine.emulator->advance(60).ok());
  const std::string whole = machine.emulator->snapshot()->serialize();
  std::string unsigned_ = whole;
  unsigned_[unsigned_.size() / 2] ^= 1;
  EXPECT_EQ(Snapshot::parse(unsigned_).status().message(), "the snapshot is damaged");
  EXPECT_EQ(Snapshot::parse("SYSNAP03").status().message(), "the snapshot is truncated");
  EXPECT_EQ(Snapshot::parse("{}").status().message(), "not a snapshot of this version");

  std::mt19937 random(3);
  int refused = 0, ended = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int n = 1 + int(random() % 3); n > 0; --n) {
      const size_t at = 8 + random() % (bytes.size() - 40);
      bytes[at] = char(random() % 2 ? random() : bytes[at] ^ (1 << random() % 8));
    }
    if (round % 10 == 0)
      bytes.erase(bytes.size() / 2, 1 + random() % 100);
    sign(bytes);
    auto snapshot = Snapshot::parse(bytes);
    absl::Status restored =
        snapshot.ok() ? machine.emulator->restore(*snapshot) : snapshot.status();
    if (!restored.ok()) {
      EXPECT_EQ(restored.code(), absl::StatusCode::kInvalidArgument) << restored;
      ++refused;
      continue;
    }
    (void)machine.emulator->advance(INT64_MAX);
    ++ended;
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(ended, 300);
}

} // namespace
