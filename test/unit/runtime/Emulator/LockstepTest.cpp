// The executor with plans beside the interpreter: the same state at any cycle, the same results,
// cycles and traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <random>

#include "test/unit/runtime/Emulator/Mutations.h"
#include "test/unit/runtime/Emulator/RandomProgram.h"
#include "test/unit/runtime/Emulator/Samples.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::test;

namespace {

std::shared_ptr<const DecodedProgram> decode(const Program &program, const char *target) {
  auto decoded = DecodedProgram::create(std::make_shared<Program>(program), *Target::load(target));
  return decoded.ok() ? *std::move(decoded) : nullptr;
}

std::unique_ptr<Emulator> emulatorOf(std::shared_ptr<const DecodedProgram> decoded, bool interprets,
                                     int threads) {
  EmulatorOptions options;
  options.interprets = interprets;
  options.liveRegistersOnly = true;
  options.threads = threads;
  options.sharesSmallParts = true;
  options.maxCycles = 100000;
  options.memoryCapBytes = 64 << 20;
  auto created = Emulator::create(std::move(decoded), options);
  EXPECT_TRUE(created.ok()) << created.status();
  return created.ok() ? *std::move(created) : nullptr;
}

std::vector<uint8_t> hbmOf(const Emulator &emulator) {
  std::vector<uint8_t> contents;
  const auto &header = emulator.program().header;
  for (int region = 0; region < header.regions_size(); ++region)
    if (header.regions(region).space() == program::HBM)
      if (auto bytes = emulator.readHbm(region); bytes.ok())
        contents.insert(contents.end(), bytes->begin(), bytes->end());
  return contents;
}

std::string describe(const absl::Status &status, const std::optional<TrapInfo> &trap) {
  if (!trap)
    return status.ToString();
  return absl::StrCat(status.ToString(), " bundle ", trap->bundle, " cycle ", trap->cycle,
                      " clock ", trap->clock);
}

// Runs both from the beginning to the end at once.
void expectSameRuns(Emulator &interpreter, Emulator &plans) {
  auto expected = interpreter.run(), got = plans.run();
  ASSERT_EQ(describe(expected.status(), interpreter.lastTrap()),
            describe(got.status(), plans.lastTrap()));
  if (expected.ok()) {
    EXPECT_EQ(expected->cycles, got->cycles);
  }
  EXPECT_EQ(hbmOf(interpreter), hbmOf(plans));
}

// Runs both in steps, of which many end inside of a block.
void expectSameSteps(Emulator &interpreter, Emulator &plans, std::mt19937 &random) {
  ASSERT_TRUE(interpreter.start().ok());
  ASSERT_TRUE(plans.start().ok());
  for (int64_t cycle = 0;;) {
    cycle += 1 + int64_t(random() % 400);
    auto expected = interpreter.advance(cycle), got = plans.advance(cycle);
    ASSERT_EQ(describe(expected.status(), interpreter.lastTrap()),
              describe(got.status(), plans.lastTrap()));
    if (!expected.ok() || expected->has_value())
      return;
    ASSERT_EQ(interpreter.snapshot()->firstDifference(*plans.snapshot()), "") << "cycle " << cycle;
  }
}

// Returns whether the program ends without a trap.
bool lockstep(const Program &program, int threads, std::mt19937 &random,
              const char *target = "v2") {
  auto decoded = decode(program, target);
  if (!decoded)
    return false; // refused by both
  auto interpreter = emulatorOf(decoded, true, 1), plans = emulatorOf(decoded, false, threads);
  // The first run finds no plans, and the last ones find all.
  for (int run = 0; run < 3; ++run)
    expectSameRuns(*interpreter, *plans);
  expectSameSteps(*interpreter, *plans, random);
  return !interpreter->lastTrap();
}

class Lockstep : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, Lockstep, testing::Values(1, 2, 5));

TEST_P(Lockstep, Samples) {
  std::mt19937 random(1);
  for (const char *text : kSamples)
    lockstep(*assemble(text, "sample"), GetParam(), random);
}

// More of them: SYSTOLE_LOCKSTEP_SEEDS=5000.
void lockstepOfRandomPrograms(const char *target, int threads) {
  std::mt19937 random(2);
  const char *more = std::getenv("SYSTOLE_LOCKSTEP_SEEDS");
  const int programs = more ? std::atoi(more) : 150;
  const bool isWide = Target::load(target)->mxuSize() > 128;
  int ended = 0;
  for (int seed = 0; seed < programs; ++seed) {
    const std::string text = RandomProgram(uint32_t(threads + 8 * seed), isWide).text();
    absl::StatusOr<Program> program = assemble(text, "random");
    ASSERT_TRUE(program.ok()) << program.status() << "\n" << text;
    ended += lockstep(*program, threads, random, target);
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << text;
    }
  }
  // Few have a pop that comes too early, or an address outside.
  EXPECT_GT(ended, programs * 8 / 10);
}

TEST_P(Lockstep, RandomPrograms) { lockstepOfRandomPrograms("v2", GetParam()); }

TEST_P(Lockstep, RandomProgramsOfWideMxus) { lockstepOfRandomPrograms("v6e", GetParam()); }

// Programs that were changed somewhere: most end with a trap.
TEST_P(Lockstep, MutatedPrograms) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    Program program = round % 3
                          ? *assemble(RandomProgram(uint32_t(round)).text(), "random")
                          : *assemble(kSamples[size_t(round) / 3 % std::size(kSamples)], "sample");
    for (int n = 1 + int(random() % 3); n > 0; --n)
      mutateCode(program, random);
    lockstep(program, GetParam(), random);
    if (HasFailure()) {
      FAIL() << "round " << round;
    }
  }
}

} // namespace
