// The log of cores: messages in order, their cycles, states between their words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// The messages of a program, as "core cycle text".
class Logged {
public:
  explicit Logged(const std::string &text, EmulatorOptions options = {},
                  const Target &target = *Target::load("v2"))
      : program(text, target, withLog(options)) {}

  EmulatorOptions withLog(EmulatorOptions options) {
    options.log = [this](const LoggedMessage &message) {
      messages.push_back(
          absl::StrCat(message.core, " ", message.cycle, " ", std::string(message.text)));
    };
    return options;
  }

  std::vector<std::string> messages;
  TextProgram program;
};

const char *const loop = R"(
.program log
.message "begin"
.message "i is " i32 [] ", twice " i32 [] "."
.message typed "x " f32 [2, 2] ""
routine main {
  log.word 7, 0
  s1 = s.mov 1
  loop 3 {
    s2 = s.add s1, s1
    log.word s1, 1
    log.word s2, 1
    s1 = s.add s1, 1
  }
  loop 2 {
    log.word 1.5, 2
    log.word #0xff800000, 2
  }
  halt
}
)";

// A bundle for each word, and no other time.
const std::vector<std::string> expected = {"0 0 begin", "0 5 i is 1, twice 2.",
                                           "0 9 i is 2, twice 4.", "0 13 i is 3, twice 6.",
                                           "0 19 x f32[2,2] {\n  {1.5, -inf},\n  {1.5, -inf}\n}"};

TEST(Log, OfLoops) {
  for (const bool interprets : {false, true}) {
    Logged logged(loop, {.interprets = interprets});
    EXPECT_GT(logged.program.cycles(), 0);
    EXPECT_EQ(logged.messages, expected);
    logged.messages.clear();
    EXPECT_GT(logged.program.cycles(), 0);
    EXPECT_EQ(logged.messages, expected);
  }
}

TEST(Log, NothingWithoutData) {
  Logged logged(loop, {.timingOnly = true});
  EXPECT_GT(logged.program.cycles(), 0);
  EXPECT_THAT(logged.messages, ElementsAre());
}

TEST(Log, WithoutAHost) { EXPECT_GT(TextProgram(loop).cycles(), 0); }

TEST(Log, GoesOnFromASnapshotBetweenWords) {
  Logged first(loop);
  ASSERT_TRUE(first.program.emulator->start().ok());
  ASSERT_TRUE(first.program.emulator->advance(17).ok());
  auto snapshot = first.program.emulator->snapshot();
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  Logged second(loop);
  ASSERT_TRUE(second.program.emulator->restore(*snapshot).ok());
  ASSERT_TRUE(second.program.emulator->advance(INT64_MAX).ok());
  EXPECT_THAT(second.messages, ElementsAre(expected.back()));
}

TEST(Log, BeforeATrap) {
  Logged logged(R"(
.program log
.message "before"
.trap "no"
routine main {
  log.word 0, 0
  trap 1, "no"
  log.word 0, 0
  halt
}
)");
  EXPECT_FALSE(logged.program.emulator->run().ok());
  EXPECT_THAT(logged.messages, ElementsAre("0 0 before"));
}

TEST(Log, MessagesDoNotMix) {
  Logged logged(R"(
.program log
.message "a" i32 [2] ""
.message "b"
routine main {
  log.word 0, 0
  log.word 0, 1
  halt
}
)");
  auto run = logged.program.emulator->run();
  EXPECT_THAT(std::string(run.status().message()),
              HasSubstr("is for log message 1 while message 0 is not complete"));
}

TEST(Log, MessagesEndBeforeTheProgram) {
  Logged logged(R"(
.program log
.message "a" i32 [2] ""
routine main {
  log.word 0, 0
  halt
}
)");
  auto run = logged.program.emulator->run();
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("ends within log message 0"));
}

// The units flush them, the log does not.
TEST(Log, Denormals) {
  Logged logged(R"(
.program log
.message "" f32 [] ""
routine main {
  log.word #0x000116c2, 0
  halt
}
)");
  EXPECT_GT(logged.program.cycles(), 0);
  EXPECT_THAT(logged.messages, ElementsAre("0 0 1e-40"));
}

TEST(Log, OfSeveralCores) {
  for (const int threads : {1, 2}) {
    Logged logged(R"(
.program log
.cores 2
.message "core " i32 [] ""
routine main {
  s1 = s.core
  log.word s1, 0
  halt
}
)",
                  {.threads = threads}, Target::load("v2")->withCores(2));
    EXPECT_GT(logged.program.cycles(), 0);
    EXPECT_THAT(logged.messages, testing::UnorderedElementsAre("0 1 core 0", "1 1 core 1"));
  }
}

} // namespace
