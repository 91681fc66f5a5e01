// Answers of the host in files.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/HostAnswers.h"

#include <gmock/gmock.h>

#include <cstring>

#include "dialects/Machine/Program/Assembler.h"
#include "runtime/Device/Npz.h"

using namespace systole;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const char *const kTwoArrays = R"(
.program answers
.region got0 host 1
.region got1 host 1
.region got2 host 1
.recv wide i64[2] in got0 and got1, bytes ui8[3] in got2 channel 7 source "model.py:3:1"
routine main { halt
}
)";

program::ProgramHeader headerOf(const std::string &text) { return assemble(text)->header; }

std::string pathOf(const char *name) { return ::testing::TempDir() + name; }

void write(const std::string &path, const std::vector<std::pair<std::string, HostArray>> &arrays) {
  std::vector<NpzEntry> entries;
  for (const auto &[name, array] : arrays)
    entries.push_back({name, &array});
  ASSERT_TRUE(writeNpz(path, entries).ok());
}

HostArray bytesArray(std::vector<int64_t> dims, std::vector<uint8_t> bytes, const char *dtype) {
  return {dtype, std::move(dims), std::move(bytes)};
}

TEST(HostAnswers, AreWhatWasRecorded) {
  const std::string path = pathOf("recorded.npz");
  const program::ProgramHeader header = headerOf(kTwoArrays);
  auto recorder = std::make_shared<AnswerRecorder>(header);
  int asked = 0;
  HostChannels host;
  host.receives[7] = [&](std::span<uint8_t> arrays, const std::atomic<bool> *) {
    ++asked;
    std::fill(arrays.begin(), arrays.end(), uint8_t(asked));
    return asked == 3 ? absl::InternalError("no more") : absl::OkStatus();
  };
  recorder->record(host, 0);
  std::vector<uint8_t> got(2 * 8 + 3);
  for (bool isRight : {true, true, false})
    EXPECT_EQ(host.receives[7](got, nullptr).ok(), isRight);
  ASSERT_TRUE(recorder->write(path).ok());

  auto answers = HostAnswers::read(path, header);
  ASSERT_TRUE(answers.ok()) << answers.status();
  for (int run = 0; run < 2; ++run) {
    HostChannels channels;
    answers->addTo(channels, 0);
    for (uint8_t time : {1, 2}) {
      ASSERT_TRUE(channels.receives[7](got, nullptr).ok());
      EXPECT_THAT(got, ::testing::Each(time));
    }
    const absl::Status end = channels.receives[7](got, nullptr);
    EXPECT_TRUE(absl::IsOutOfRange(end)) << end;
    EXPECT_EQ(end.message(),
              "model.py:3:1: the answers of the host end: there are 2 over channel 7");
  }
  EXPECT_EQ(asked, 3);
}

TEST(HostAnswers, CoresHaveTheirOwn) {
  const std::string path = pathOf("cores.npz");
  const program::ProgramHeader header = headerOf(R"(
.program answers
.cores 2
.region got host 1
.recv bytes ui8[] in got channel 7
routine main { halt
}
)");
  write(path, {{"channel7@0", bytesArray({1}, {5}, "ui8")},
               {"channel7@1", bytesArray({2}, {6, 7}, "ui8")}});
  auto answers = HostAnswers::read(path, header);
  ASSERT_TRUE(answers.ok()) << answers.status();
  HostChannels channels;
  answers->addTo(channels, 1);
  uint8_t got[1];
  for (uint8_t expected : {6, 7}) {
    ASSERT_TRUE(channels.receives[7](got, nullptr).ok());
    EXPECT_EQ(got[0], expected);
  }
}

TEST(HostAnswers, AreOfTheProgram) {
  const std::string path = pathOf("wrong.npz");
  const program::ProgramHeader header = headerOf(kTwoArrays);
  const HostArray wide = bytesArray({1, 2}, std::vector<uint8_t>(16), "i64");
  auto errorOf = [&](std::vector<std::pair<std::string, HostArray>> arrays) {
    write(path, arrays);
    return std::string(HostAnswers::read(path, header).status().message());
  };
  EXPECT_THAT(errorOf({{"channel7.0", wide}}), HasSubstr("channel7.1"));
  EXPECT_THAT(errorOf({{"channel7.0", wide}, {"channel7.1", bytesArray({3}, {1, 2, 3}, "ui8")}}),
              HasSubstr("the program receives tensor<3xui8> each time"));
  EXPECT_THAT(errorOf({{"channel7.0", wide}, {"channel7.1", bytesArray({1, 3}, {1, 2, 3}, "i8")}}),
              HasSubstr("but it is tensor<1x3xi8>"));
  EXPECT_THAT(errorOf({{"channel7.0", wide},
                       {"channel7.1", bytesArray({2, 3}, {1, 2, 3, 4, 5, 6}, "ui8")}}),
              HasSubstr("it has 2 arrays, where channel7.0 has 1"));
  EXPECT_FALSE(HostAnswers::read(pathOf("nothing.npz"), header).ok());
}

} // namespace
