// Record and replay of what a run is given from outside.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/HostLog.h"
#include "test/unit/runtime/Emulator/Rounds.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::test;

namespace {

// Runs the program with a host, and returns what was recorded.
HostLog record(TextProgram &machine, SummingHost &host) {
  HostLog log;
  RecordingPort port(host, log);
  machine.emulator->run(&port).IgnoreError();
  if (const auto &trap = machine.emulator->lastTrap(); trap && trap->kind == TrapKind::Cancelled)
    log.cancelled = Cancellation{trap->core, trap->clock};
  absl::StatusOr<HostLog> parsed = HostLog::parse(log.serialize());
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : HostLog();
}

TEST(Replay, GivesTheSameBitsAndCycles) {
  TextProgram machine(kRounds), other(kRounds);
  SummingHost host;
  const HostLog log = record(machine, host);
  ASSERT_EQ(log.messages.size(), 8u);
  ReplayPort port(log);
  absl::StatusOr<RunStats> stats = other.emulator->run(&port);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(other.read<uint32_t>("x"), machine.read<uint32_t>("x"));
  // The first answer is 17 + 128 * 2.0f; each next one adds 128 times the answer.
  uint32_t sum = 17, row = 0x40000000u;
  for (int round = 0; round < 4; ++round)
    row = sum += 128 * row;
  EXPECT_EQ(other.read<uint32_t>("x")[5], sum);
  SummingHost again;
  EXPECT_EQ(stats->cycles, machine.emulator->run(&again)->cycles);
}

TEST(Replay, ContinuesASnapshot) {
  TextProgram machine(kRounds);
  SummingHost host;
  const HostLog log = record(machine, host);
  const auto expected = machine.read<uint32_t>("x");
  for (int64_t cycle = 0; cycle < 9000; cycle += 700) {
    TextProgram first(kRounds), second(kRounds);
    ReplayPort port(log);
    ASSERT_TRUE(first.emulator->start(&port).ok());
    ASSERT_TRUE(first.emulator->advance(cycle).ok());
    ReplayPort rest(log, size_t(first.emulator->hostMessages()));
    ASSERT_TRUE(second.emulator->restore(*first.emulator->snapshot(), &rest).ok());
    auto done = second.emulator->advance(INT64_MAX);
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_EQ(second.read<uint32_t>("x"), expected);
  }
}

TEST(Replay, RepeatsErrorsOfTheHost) {
  TextProgram machine(kRounds), other(kRounds);
  SummingHost host;
  host.failing = 3;
  const HostLog log = record(machine, host);
  ReplayPort port(log);
  EXPECT_EQ(other.emulator->run(&port).status(), absl::InternalError("the host is tired"));
  EXPECT_EQ(other.emulator->lastTrap()->cycle, machine.emulator->lastTrap()->cycle);
}

TEST(Replay, RepeatsCancellation) {
  std::atomic<bool> cancel = false;
  EmulatorOptions options;
  options.cancel = &cancel;
  TextProgram machine(kRounds, *Target::load("v2"), options), other(kRounds);
  SummingHost host;
  host.cancel = &cancel;
  const HostLog log = record(machine, host);
  ASSERT_TRUE(log.cancelled.has_value());
  ReplayPort port(log);
  ASSERT_TRUE(other.emulator->start(&port).ok());
  ASSERT_TRUE(other.emulator->advance(log.cancelled->clock).ok());
  absl::Status status = other.emulator->cancel(log.cancelled->core);
  EXPECT_EQ(status, toStatus(*machine.emulator->lastTrap()));
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(other.read<uint32_t>("x"), machine.read<uint32_t>("x"));
}

TEST(Replay, RefusesOtherMessages) {
  TextProgram machine(kRounds);
  SummingHost host;
  HostLog log = record(machine, host);
  log.messages[2].sentHash ^= 1;
  ReplayPort port(log);
  EXPECT_EQ(machine.emulator->run(&port).status().message(),
            "message 2 is not the one that was recorded");
  log.messages.resize(2);
  ReplayPort few(log);
  EXPECT_FALSE(machine.emulator->run(&few).ok());
  EXPECT_FALSE(HostLog::parse("none").ok());
}

} // namespace
