// Sessions of programs that exchange data with the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <random>

#include "runtime/Debugger/Session.h"
#include "runtime/Debugger/TransferArrays.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

// Answers with the sum of all that it has been sent so far, and counts how often it is asked.
class Host : public HostPort {
public:
  absl::Status send(int, absl::Span<const uint32_t> words) override {
    sum = std::accumulate(words.begin(), words.end(), sum);
    ++messages;
    return messages == failing ? absl::InternalError("the host is tired") : absl::OkStatus();
  }
  absl::Status receive(int, absl::Span<uint32_t> words, const std::atomic<bool> *) override {
    ++messages;
    std::fill(words.begin(), words.end(), sum);
    return absl::OkStatus();
  }

  uint32_t sum = 17;
  int messages = 0, failing = -1;
};

// Four times: a row is sent, and what comes back is sent next.
const char *const kRounds = R"(
.program rounds
.region x hbm 1
.region out host 1
.region in host 1
.constant x f32 splat 2.0 count 128
.send sent f32[128] in out channel 2 source "model.py:7:3"
.recv received f32[128] in in channel 3
.descriptor send hbm to host chunk 128
.descriptor recv host to hbm chunk 128
routine main {
  loop 4 {
    dma.start dst=0, src=0, dstRegion=out, srcRegion=x, descriptor=send, flag=0
    wait 1, flag=0
    dma.start dst=0, src=0, dstRegion=x, srcRegion=in, descriptor=recv, flag=0
    wait 1, flag=0
  }
  halt
}
)";
constexpr int kMessages = 8;

std::unique_ptr<Emulator> emulatorOf() {
  EmulatorOptions options;
  options.interprets = true;
  return std::move(TextProgram(kRounds, *Target::load("v2"), options).emulator);
}

std::unique_ptr<Session> sessionOf(Host &host, const SessionOptions &options = {}) {
  HostPort *ports[] = {&host};
  auto session = Session::create(emulatorOf(), options, nullptr, ports);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

Snapshot stateAt(int64_t cycle) {
  Host host;
  std::unique_ptr<Emulator> emulator = emulatorOf();
  EXPECT_TRUE(emulator->start(&host).ok());
  EXPECT_TRUE(emulator->advance(cycle).ok());
  return *emulator->snapshot();
}

TEST(HostSession, AsksTheHostOnceAndHasTheSameStates) {
  Host host;
  std::unique_ptr<Session> session = sessionOf(host);
  ASSERT_EQ(session->run({})->kind, Stop::Kind::End);
  const int64_t length = session->stats()->cycles;
  EXPECT_EQ(host.messages, kMessages);
  std::mt19937 random(5);
  // A snapshot of each cycle, and none but the first ones.
  for (const SessionOptions &options : {SessionOptions{int64_t(1) << 30, 0, 2}, {1, 0, 2}, {}}) {
    Host other;
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
  Host host;
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
  Host host;
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
  Host host;
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
