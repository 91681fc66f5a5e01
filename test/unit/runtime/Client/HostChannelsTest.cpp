// Calls of a channel's functions for a program's copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/HostChannels.h"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "dialects/Machine/Program/Assembler.h"

using namespace systole;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

class Ports : public ::testing::Test {
protected:
  // Transfers over a channel: a byte array of which rows differ from the host's order, then two
  // planes.
  Program program = *assemble(R"(
.program channels
.region sent0 host 1
.region sent1 host 1
.region sent2 host 1
.region got0 host 1
.region got1 host 1
.region got2 host 1
.send bytes ui8[3,2] layout [0,1] in sent0, wide i64[2] in sent1 and sent2 channel 7
.recv wide i64[2] in got0 and got1, bytes ui8[3,2] layout [0,1] in got2 channel 7
routine main { halt
}
)");
  std::vector<std::vector<uint8_t>> sent;
  int asked = 0;
  HostChannels channels{.sends = {{7,
                                   [this](std::span<const uint8_t> arrays) {
                                     sent.emplace_back(arrays.begin(), arrays.end());
                                     return absl::OkStatus();
                                   }}},
                        .receives = {{7,
                                      [this](std::span<uint8_t> arrays, const std::atomic<bool> *) {
                                        ++asked;
                                        const int64_t wide[] = {0x500000007, -2};
                                        const uint8_t bytes[] = {1, 2, 3, 4, 5, 6};
                                        EXPECT_EQ(arrays.size(), sizeof wide + sizeof bytes);
                                        std::memcpy(arrays.data(), wide, sizeof wide);
                                        std::memcpy(arrays.data() + sizeof wide, bytes,
                                                    sizeof bytes);
                                        return absl::OkStatus();
                                      }}},
                        .outfeed = {},
                        .infeed = {}};
  ChannelPort port{program, channels};

  static std::vector<uint32_t> row(std::vector<uint32_t> words) {
    words.resize(128);
    return words;
  }
};

// Logical rows of bytes are the bytes of words: row 0 is the lowest.
TEST_F(Ports, SendsOnceAllPlanesAreThere) {
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(port.send(0, row({0x0201, 0x0403, 0x0605})), absl::OkStatus());
    EXPECT_EQ(port.send(1, row({7, 0xfffffffe})), absl::OkStatus());
    EXPECT_EQ(int(sent.size()), run);
    EXPECT_EQ(port.send(2, row({5, 0xffffffff})), absl::OkStatus());
    ASSERT_EQ(int(sent.size()), run + 1);
    EXPECT_THAT(sent.back(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 5, 0, 0, 0, 0xfe, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff));
  }
}

TEST_F(Ports, ReceivesOnceForAllPlanes) {
  for (int run = 0; run < 2; ++run) {
    std::vector<uint32_t> low(128), high(128), bytes(128);
    EXPECT_EQ(port.receive(3, absl::MakeSpan(low), nullptr), absl::OkStatus());
    EXPECT_EQ(port.receive(4, absl::MakeSpan(high), nullptr), absl::OkStatus());
    EXPECT_EQ(port.receive(5, absl::MakeSpan(bytes), nullptr), absl::OkStatus());
    EXPECT_EQ(low, row({7, 0xfffffffe}));
    EXPECT_EQ(high, row({5, 0xffffffff}));
    EXPECT_EQ(bytes, row({0x0201, 0x0403, 0x0605}));
    EXPECT_EQ(asked, run + 1);
  }
}

// Arrays of one transfer through a queue go one by one.
TEST(Queues, HaveArraysInOrder) {
  const Program program = *assemble(R"(
.program queues
.region out0 host 1
.region out1 host 1
.region in0 host 1
.region in1 host 1
.outfeed bytes ui8[3,2] layout [0,1] in out0, flag i8[] in out1 channel 0 source "f.py:1:2"
.infeed flag i8[] in in0, bytes ui8[3,2] layout [0,1] in in1 channel 0 source "f.py:3:4"
routine main { halt
}
)");
  EXPECT_EQ(checkChannels(program, {}),
            absl::UnimplementedError("the program uses the outfeed at f.py:1:2, which clients of "
                                     "this kind do not have"));
  std::vector<HostArray> sent;
  std::vector<HostArray> given = {{"i8", {}, {7}}, {"ui8", {3, 2}, {1, 2, 3, 4, 5, 6}}};
  HostChannels channels;
  channels.outfeed = [&](HostArray array) {
    sent.push_back(std::move(array));
    return absl::OkStatus();
  };
  channels.infeed = [&](const program::Tensor &expected,
                        const std::atomic<bool> *) -> absl::StatusOr<HostArray> {
    if (given.empty())
      return absl::OutOfRangeError("no more");
    EXPECT_EQ(expected.dtype(), given.front().dtype);
    HostArray array = given.front();
    given.erase(given.begin());
    return array;
  };
  EXPECT_EQ(checkChannels(program, channels), absl::OkStatus());
  ChannelPort port(program, channels);
  std::vector<uint32_t> words(128);
  words[0] = 0x0201, words[1] = 0x0403, words[2] = 0x0605;
  EXPECT_EQ(port.send(0, words), absl::OkStatus());
  EXPECT_EQ(sent.size(), 0u);
  EXPECT_EQ(port.send(1, words), absl::OkStatus());
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(sent[0].bytes, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(sent[0].dims, ElementsAre(3, 2));
  EXPECT_THAT(sent[1].bytes, ElementsAre(1));
  std::vector<uint32_t> flag(128), bytes(128);
  EXPECT_EQ(port.receive(2, absl::MakeSpan(flag), nullptr), absl::OkStatus());
  EXPECT_EQ(port.receive(3, absl::MakeSpan(bytes), nullptr), absl::OkStatus());
  EXPECT_EQ(flag[0], 7u);
  EXPECT_EQ(bytes[2], 0x0605u);
  EXPECT_EQ(port.receive(2, absl::MakeSpan(flag), nullptr).message(), "f.py:3:4: no more");
  EXPECT_EQ(port.status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(Ports, PlanesOutOfTurnAreErrors) {
  std::vector<uint32_t> words(128);
  EXPECT_THAT(std::string(port.send(1, words).message()),
              HasSubstr("region 1 of the host is copied out of turn: the program has not sent all "
                        "that goes over channel 7"));
  EXPECT_THAT(std::string(port.status().message()), HasSubstr("region 1"));
  EXPECT_EQ(sent.size(), 0u);
}

TEST_F(Ports, AnswersOutOfTurnAreErrors) {
  std::vector<uint32_t> words(128);
  EXPECT_THAT(
      std::string(port.receive(5, absl::MakeSpan(words), nullptr).message()),
      HasSubstr("region 5 of the host is copied out of turn: the program has not received"));
  EXPECT_EQ(asked, 0);
}

TEST_F(Ports, CopiesTheOtherWayAreErrors) {
  std::vector<uint32_t> words(128);
  EXPECT_THAT(std::string(port.send(3, words).message()),
              HasSubstr("nothing is sent through region 3"));
}

} // namespace
