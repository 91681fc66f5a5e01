// Sessions of programs that exchange data with the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

#include "runtime/Debugger/Session.h"
#include "runtime/Debugger/TransferArrays.h"
#include "test/unit/runtime/Emulator/Rounds.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

constexpr int kMessages = 8;

std::unique_ptr<Emulator> emulatorOf() {
  EmulatorOptions options;
  options.interprets = true;
  return std::move(TextProgram(kRounds, *Target::load("v2"), options).emulator);
}

std::unique_ptr<Session> sessionOf(SummingHost &host, const SessionOptions &options = {}) {
  HostPort *ports[] = {&host};
  auto session = Session::create(emulatorOf(), options, nullptr, ports);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

Snapshot stateAt(int64_t cycle) {
  SummingHost host;
  std::unique_ptr<Emulator> emulator = emulatorOf();
  EXPECT_TRUE(emulator->start(&host).ok());
  EXPECT_TRUE(emulator->advance(cycle).ok());
  return *emulator->snapshot();
}

TEST(HostSession, AsksTheHostOnceAndHasTheSameStates) {
  SummingHost host;
  std::unique_ptr<Session> session = sessionOf(host);
  ASSERT_EQ(session->run({})->kind, Stop::Kind::End);
  const int64_t length = session->stats()->cycles;
  EXPECT_EQ(host.messages, kMessages);
  std::mt19937 random(5);
  // A snapshot of each cycle, and none but the first ones.
  for (const SessionOptions &options : {SessionOptions{int64_t(1) << 30, 0, 2}, {1, 0, 2}, {}}) {
    SummingHost other;
    std::unique_ptr<Session> again = sessionOf(other, options);
    for (int i = 0; i < 20; ++i) {
      const int64_t cycle = random() % length;
      ASSERT_TRUE(again->seek(cycle).ok());
      EXPECT_EQ(again->snapshot()->firstDifference(stateAt(cycle)), "") << cycle;
    }
    ASSERT_EQ(again->run({})->kind, Stop::Kind::End);
    EXPECT_EQ(again->stats()->cycles, length);
    EXPECT_EQ(other.messages, kMessages);
    EXPECT_EQ(other.sum, host.sum);
  }
}

TEST(HostSession, AnErrorOfTheHostIsATrapThatCanBeLeft) {
  SummingHost host;
  host.failing = 5;
  std::unique_ptr<Session> session = sessionOf(host);
  for (int i = 0; i < 2; ++i) {
    const Stop stop = *session->run({});
    ASSERT_EQ(stop.kind, Stop::Kind::Trap);
    EXPECT_EQ(session->trap()->kind, TrapKind::Host);
    EXPECT_EQ(host.messages, 5); // it has said so
    ASSERT_TRUE(session->stepBack(3).ok());
    EXPECT_FALSE(session->trap());
  }
}

TEST(HostSession, VisitsComeBack) {
  SummingHost host;
  std::unique_ptr<Session> session = sessionOf(host);
  auto isBack = [&](int64_t cycle) {
    for (int64_t elsewhere : {int64_t(0), int64_t(700), int64_t(1) << 40}) {
      EXPECT_TRUE(visit(*session, [&] { return session->seek(elsewhere).status(); }).ok());
      EXPECT_EQ(session->cycle(), cycle);
    }
  };
  ASSERT_TRUE(session->seek(600).ok());
  const int64_t cycle = session->cycle();
  isBack(cycle);
  ASSERT_EQ(session->run({})->kind, Stop::Kind::End);
  isBack(session->cycle());
  EXPECT_TRUE(session->stats());
}

TEST(HostSession, ArraysAreWhereTheirCopiesAre) {
  SummingHost host;
  std::unique_ptr<Session> session = sessionOf(host);
  const Program &program = session->emulator().program();
  std::optional<SentArray> sent = findSent(program, "sent[3]");
  ASSERT_TRUE(sent);
  ASSERT_EQ(sent->copies.size(), 1u);
  EXPECT_EQ(sent->copies[0].onDevice.region(), 0);
  EXPECT_EQ(sent->copies[0].bundle, 1);
  EXPECT_EQ(sent->rest, "[3]");
  EXPECT_FALSE(findSent(program, "received"));
  EXPECT_FALSE(findSent(program, "sen"));
  EXPECT_EQ(copiesOfArray(program, "sent"), std::vector<int64_t>{1});
  EXPECT_EQ(copiesOfArray(program, "received"), std::vector<int64_t>{3});
  EXPECT_TRUE(copiesOfArray(program, "sen").empty());
  EXPECT_EQ(sentOver(program.header, 2), "sent");
  EXPECT_EQ(sentOver(program.header, 3), "");
}

} // namespace
