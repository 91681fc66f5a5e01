// The progress line, read through a pipe.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/ProgressLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace systole {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class Pipe {
public:
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() {
    ::close(ends[0]);
    if (ends[1] >= 0)
      ::close(ends[1]);
  }

  int writer() const { return ends[1]; }
  // Waits until `text` has been written.
  void await(const std::string &text) {
    while (all.find(text) == std::string::npos && read())
      ;
    EXPECT_THAT(all, HasSubstr(text));
  }
  // Returns the text that has been written, up to the end.
  const std::string &finish() {
    ::close(std::exchange(ends[1], -1));
    while (read())
      ;
    return all;
  }

private:
  bool read() {
    char bytes[256];
    ssize_t count = ::read(ends[0], bytes, sizeof bytes);
    all.append(bytes, size_t(std::max<ssize_t>(count, 0)));
    return count > 0;
  }

  int ends[2];
  std::string all;
};

ProgressLine::Options at(const Pipe &pipe, std::chrono::milliseconds after = 0ms) {
  ProgressLine::Options options;
  options.file = pipe.writer();
  options.after = after;
  options.interval = 1ms;
  return options;
}

TEST(ProgressLine, ShowsATaskAnewAndWipesItAtItsEnd) {
  Pipe pipe;
  std::atomic<int> step = 1;
  {
    ProgressLine line(at(pipe));
    ProgressLine::Task task(line, [&] { return "compiling, step " + std::to_string(step); });
    pipe.await("\r\033[KSystole: 0 s, compiling, step 1\r");
    step = 2;
    pipe.await("step 2\r");
  }
  const std::string &all = pipe.finish();
  EXPECT_EQ(all.substr(all.size() - 4), "\r\033[K");
}

TEST(ProgressLine, ShowsTheOldestOfSeveralAndThenTheNext) {
  Pipe pipe;
  ProgressLine line(at(pipe));
  std::optional<ProgressLine::Task> first(std::in_place, line, [] { return "running @a"; });
  ProgressLine::Task second(line, [] { return "running @b"; });
  pipe.await("running @a (and 1 more)");
  first.reset();
  pipe.await("running @b\r");
}

TEST(ProgressLine, CutsLinesThatWouldWrap) {
  Pipe pipe;
  ProgressLine line(at(pipe));
  ProgressLine::Task task(line, [] { return std::string(200, 'x'); });
  // A pipe has no width: 80 columns.
  pipe.await("Systole: 0 s, " + std::string(65, 'x') + "\r");
}

TEST(ProgressLine, KeepsControlCharactersFromTheTerminal) {
  Pipe pipe;
  ProgressLine line(at(pipe));
  ProgressLine::Task task(line, [] { return "compiling @a\nb\x1b[31m\a\xc2\x9b" "é"; });
  pipe.await("Systole: 0 s, compiling @a?b?[31m??é\r");
}

TEST(ProgressLine, SaysNothingOfShortTasksOrWhereItIsNotActive) {
  Pipe pipe;
  {
    ProgressLine::Options inactive = at(pipe);
    inactive.active = false;
    ProgressLine line(at(pipe, 1h)), silent(inactive);
    for (int i = 0; i < 100; ++i) {
      ProgressLine::Task task(line, [] { return "short"; });
      ProgressLine::Task other(silent, [] { return "silent"; });
    }
  }
  EXPECT_EQ(pipe.finish(), "");
}

TEST(ProgressLine, IsForTerminals) {
  EXPECT_EQ(ProgressLine::forTerminal().active, bool(::isatty(STDERR_FILENO)));
  ::setenv("SYSTOLE_PROGRESS", "0", 1);
  EXPECT_FALSE(ProgressLine::forTerminal().active);
  ::unsetenv("SYSTOLE_PROGRESS");
}

TEST(ProgressLine, GivesCyclesTheirTime) {
  EXPECT_EQ(cyclesSoFar(1880000, 940e6), "1,880,000 cycles (2 ms)");
}

} // namespace
} // namespace systole
