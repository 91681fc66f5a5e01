// Programs on the emulated machine: arrays of every type through HBM and back,
// and runs that end early.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/Assembler.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole {
namespace {

using testing::HasSubstr;

Program assembled(const std::string &text) {
  absl::StatusOr<Program> program = assemble(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

// Copies `rows` rows of the argument to the result, by way of VMEM.
Program copyProgram(const std::string &type, int rows) {
  std::string text = absl::StrCat(".program copy\n.region x hbm ", rows, "\n.region y hbm ", rows,
                                  "\n.region tile vmem ", rows, "\n.argument x ", type,
                                  " in x\n.result y ", type, " in y\n");
  if (rows > 0)
    absl::StrAppend(&text, ".descriptor in hbm to vmem chunk ", rows * 128,
                    "\n.descriptor out vmem to hbm chunk ", rows * 128, "\n");
  absl::StrAppend(&text, "routine main {\n");
  if (rows > 0)
    absl::StrAppend(
        &text, "  dma.start dst=0, src=0, dstRegion=tile, srcRegion=x, descriptor=in, flag=0\n"
               "  wait 1, flag=0\n"
               "  dma.start dst=0, src=0, dstRegion=y, srcRegion=tile, descriptor=out, flag=1\n"
               "  wait 1, flag=1\n");
  return assembled(absl::StrCat(text, "  halt\n}\n"));
}

const char *const kEndless = ".program endless\n"
                             "routine main {\n"
                             "  loop 1000000 {\n    loop 1000000 { nop }\n  }\n"
                             "  halt\n}\n";

Target v3() { return *Target::load("v3"); }

TEST(Device, BringsArraysOfEveryTypeThere) {
  struct Case {
    const char *dtype;
    std::vector<int64_t> dims;
    int rows;
  };
  // Rows by hand: 5 x 2 tiles of 128 lanes are 10 logical rows, rounded up to 16.
  const Case cases[] = {{"f32", {5, 200}, 16}, {"bf16", {5, 200}, 8}, {"i8", {5, 200}, 4},
                        {"i1", {5, 200}, 4},   {"i32", {}, 8},        {"f32", {0, 7}, 0}};
  for (const Case &test : cases) {
    SCOPED_TRACE(test.dtype);
    absl::StatusOr<Executable> executable = Device(v3()).load(
        copyProgram(absl::StrCat(test.dtype, "[", absl::StrJoin(test.dims, ","), "]"), test.rows));
    ASSERT_TRUE(executable.ok()) << executable.status();
    const program::Tensor &tensor = executable->program().header.arguments(0);
    HostArray array{test.dtype, test.dims, std::vector<uint8_t>(hostBytes(tensor))};
    for (size_t at = 0; at < array.bytes.size(); ++at)
      array.bytes[at] = std::string(test.dtype) == "i1" ? at % 2 : at * 31 + at / 256;
    absl::StatusOr<RunResult> run = executable->run(std::vector{array});
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_EQ(run->results.size(), 1u);
    EXPECT_EQ(run->results[0].dtype, test.dtype);
    EXPECT_EQ(run->results[0].dims, test.dims);
    EXPECT_EQ(run->results[0].bytes, array.bytes);
    EXPECT_EQ(run->stats.total.hbmReadBytes, test.rows * 512);
    EXPECT_EQ(run->stats.total.hbmWriteBytes, test.rows * 512);
  }
}

TEST(Device, RunsAgainWithOtherArguments) {
  absl::StatusOr<Executable> executable = Device(v3()).load(copyProgram("i32[2]", 8));
  ASSERT_TRUE(executable.ok()) << executable.status();
  int64_t cycles = 0;
  for (uint8_t value : {3, 5}) {
    HostArray array{"i32", {2}, std::vector<uint8_t>(8, value)};
    absl::StatusOr<RunResult> run = executable->run(std::vector{array});
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->results[0].bytes, array.bytes);
    EXPECT_TRUE(cycles == 0 || cycles == run->stats.cycles);
    cycles = run->stats.cycles;
  }
}

TEST(Device, TimesWithoutData) {
  absl::StatusOr<Executable> timed =
      Device(v3(), {.timingOnly = true}).load(copyProgram("i32[2]", 8));
  ASSERT_TRUE(timed.ok()) << timed.status();
  absl::StatusOr<RunResult> run = timed->run({});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->results.empty());
  absl::StatusOr<Executable> full = Device(v3()).load(copyProgram("i32[2]", 8));
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->run(std::vector{HostArray{"i32", {2}, std::vector<uint8_t>(8)}})->stats.cycles,
            run->stats.cycles);
}

TEST(Device, RefusesArgumentsThatDoNotFit) {
  absl::StatusOr<Executable> executable = Device(v3()).load(copyProgram("i32[2]", 8));
  ASSERT_TRUE(executable.ok());
  EXPECT_THAT(executable->run({}).status().message(), HasSubstr("takes 1 argument, not 0"));
  EXPECT_THAT(executable->run(std::vector{HostArray{"f32", {2}, std::vector<uint8_t>(8)}})
                  .status()
                  .message(),
              HasSubstr("tensor<2xi32>"));
}

TEST(Device, RefusesProgramsThatBreakTheRules) {
  // The result of a load is there after the target's latency, not at once.
  Program program = assembled(".program early\n.region t vmem 8\n"
                              "routine main {\n"
                              "  v0 = vld.b32 0, region=t\n"
                              "  v1 = v.fadd v0, v0\n"
                              "  halt\n}\n");
  absl::StatusOr<Executable> executable = Device(v3()).load(program);
  EXPECT_EQ(executable.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(executable.status().message(), HasSubstr("bundle 1"));
}

TEST(Device, RefusesProgramsThatAreTooLarge) {
  Program program = assembled(".program large\n.region t vmem 1000000\n"
                              "routine main {\n  halt\n}\n");
  EXPECT_FALSE(Device(v3()).load(program).ok());
}

TEST(Device, StopsWhenCancelled) {
  std::atomic<bool> cancel = true;
  absl::StatusOr<Executable> executable =
      Device(v3(), {.cancel = &cancel}).load(assembled(kEndless));
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(executable->run({}).status().code(), absl::StatusCode::kCancelled);
}

TEST(Device, StopsAtTheWatchdog) {
  absl::StatusOr<Executable> executable =
      Device(v3(), {.maxCycles = 1000}).load(assembled(kEndless));
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(executable->run({}).status().code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(executable->lastTrap());
  EXPECT_EQ(executable->lastTrap()->kind, TrapKind::Watchdog);
}

TEST(Device, KeepsToTheMemoryCap) {
  // A megabyte each of argument and result, under a cap of one.
  absl::StatusOr<Executable> executable =
      Device(v3(), {.memoryCapBytes = 1 << 20}).load(copyProgram("f32[2048,128]", 2048));
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(
      executable->run(std::vector{HostArray{"f32", {2048, 128}, std::vector<uint8_t>(1 << 20)}})
          .status()
          .code(),
      absl::StatusCode::kResourceExhausted);
}

} // namespace
} // namespace systole
