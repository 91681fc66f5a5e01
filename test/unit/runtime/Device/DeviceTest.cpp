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

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

// Cores 0, 1, 6 and 7 of eight have two of eight rows each, and send them to the next one: y is x,
// rotated by two rows. Core 2 has core 0's part of `half`, and core 3 that of core 1.
Program rotation(const std::string &cores = ".cores 4 of 8 at [0, 1, 6, 7]") {
  return assembled(absl::StrCat(".program rotate\n", cores, R"(
.region x hbm 8
.region y hbm 8
.region half hbm 8
.region same hbm 8
.argument x i32[2,4] in x whole [8,4] at [0,0] [1,0] [2,0] [3,0]
.argument half i32[2,4] in half whole [4,4] at [0,0] [1,0] [0,0] [1,0]
.argument same i32[2,4] in same
.result y i32[2,4] in y whole [8,4] at [0,0] [1,0] [2,0] [3,0]
.result half i32[2,4] in half whole [4,4] at [0,0] [1,0] [0,0] [1,0]
.result same i32[2,4] in same
.result wrong i32[2,4] in half
.descriptor send hbm to hbm chunk 1024 arrival_flag 70
routine main {
  s1 = s.core
  s1 = s.add s1, 1
  s1 = s.and s1, 3
  dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=s1, descriptor=send, flag=0
  wait 1, flag=0
  wait 1, flag=70
  halt
}
)"));
}

HostArray rows(int count, int first) {
  HostArray array{"i32", {count, 4}, std::vector<uint8_t>(size_t(count) * 16)};
  for (int32_t i = 0; i < count * 4; ++i) {
    const int32_t value = first + i;
    std::memcpy(&array.bytes[size_t(i) * 4], &value, 4);
  }
  return array;
}

std::vector<int32_t> valuesOf(const HostArray &array) {
  std::vector<int32_t> values(array.bytes.size() / 4);
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST(Device, DividesArgumentsAndAssemblesResults) {
  Program program = rotation();
  program.header.mutable_results()->RemoveLast();
  const std::vector arguments = {rows(8, 0), rows(4, 100), rows(2, 200)};
  for (int threads : {1, 2}) {
    EmulatorOptions options;
    options.threads = threads;
    absl::StatusOr<Executable> executable = Device(*Target::load("v3-8"), options).load(program);
    ASSERT_TRUE(executable.ok()) << executable.status();
    absl::StatusOr<RunResult> run = executable->run(arguments);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_EQ(run->results.size(), 3u);
    std::vector<int32_t> rotated = valuesOf(rows(2, 24));
    for (int32_t value : valuesOf(rows(6, 0)))
      rotated.push_back(value);
    EXPECT_THAT(run->results[0].dims, testing::ElementsAre(8, 4));
    EXPECT_EQ(valuesOf(run->results[0]), rotated);
    EXPECT_EQ(run->results[1].bytes, arguments[1].bytes);
    EXPECT_EQ(run->results[2].bytes, arguments[2].bytes);
    EXPECT_EQ(run->stats.coreCycles.size(), 4u);
  }
}

TEST(Device, GivesThePartsOfEachCore) {
  absl::StatusOr<Executable> executable =
      Device(*Target::load("v3-8")).load(rotation(), ResultForm::Shards);
  ASSERT_TRUE(executable.ok()) << executable.status();
  absl::StatusOr<RunResult> run =
      executable->run(std::vector{rows(8, 0), rows(4, 100), rows(2, 200)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->results.empty());
  ASSERT_EQ(run->shards.size(), 4u);
  for (int core = 0; core < 4; ++core) {
    EXPECT_EQ(run->shards[0][size_t(core)].bytes, rows(2, (core + 3) % 4 * 8).bytes) << core;
    EXPECT_EQ(run->shards[1][size_t(core)].bytes, rows(2, core % 2 == 0 ? 100 : 108).bytes);
    EXPECT_EQ(run->shards[3][size_t(core)].bytes, run->shards[1][size_t(core)].bytes);
  }
}

TEST(Device, RefusesPartsThatDiffer) {
  absl::StatusOr<Executable> executable = Device(*Target::load("v3-8")).load(rotation());
  ASSERT_TRUE(executable.ok()) << executable.status();
  const absl::Status status =
      executable->run(std::vector{rows(8, 0), rows(4, 100), rows(2, 200)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "result 3 (wrong): cores 0 and 1 have the same part with different "
                              "values from element [0, 0] on");
}

TEST(Device, ArgumentsOfSlicesAreWhole) {
  absl::StatusOr<Executable> executable = Device(*Target::load("v3-8")).load(rotation());
  ASSERT_TRUE(executable.ok()) << executable.status();
  const absl::Status status =
      executable->run(std::vector{rows(2, 0), rows(4, 100), rows(2, 200)}).status();
  EXPECT_EQ(status.message(),
            "argument 0 (x) is tensor<8x4xi32> in the program, but given as tensor<2x4xi32>");
}

TEST(Device, TimesSlicesWithoutData) {
  Program program = rotation();
  program.header.mutable_results()->RemoveLast();
  absl::StatusOr<Executable> timed =
                                 Device(*Target::load("v3-8"), {.timingOnly = true}).load(program),
                             full = Device(*Target::load("v3-8")).load(program);
  ASSERT_TRUE(timed.ok() && full.ok());
  absl::StatusOr<RunResult> without = timed->run({}),
                            with = full->run(std::vector{rows(8, 0), rows(4, 100), rows(2, 200)});
  ASSERT_TRUE(without.ok() && with.ok()) << without.status() << with.status();
  EXPECT_EQ(without->stats.coreCycles, with->stats.coreCycles);
}

TEST(Device, RefusesSlicesThatAreTooSmall) {
  EXPECT_EQ(Device(v3()).load(rotation()).status().message(),
            "the program is for 4 cores of a slice of 8, but v3 has 1 core");
  EXPECT_EQ(Device(*Target::load("v3-2")).load(rotation(".cores 4")).status().message(),
            "the program is for 4 cores, but v3-2 has 2 cores");
  EXPECT_TRUE(Device(*Target::load("v3-4")).load(rotation(".cores 4")).ok());
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
