// The tables that encoding adds to a program's header, from machine functions written by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Emit.h"

#include "compiler/Schedule/MachineText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::machine {
namespace {

using testing::HasSubstr;

class Encode : public testing::Test {
protected:
  absl::StatusOr<Program> encodeText(const std::string &text) {
    auto module = parse(text);
    EXPECT_TRUE(module.ok()) << module.status();
    return encodeModule(*module, target, {});
  }

  Target target = *Target::load("v3");
};

void expectRange(const program::Range &range, int64_t begin, int64_t end) {
  EXPECT_EQ(range.begin(), begin);
  EXPECT_EQ(range.end(), end);
}

/// Two calls of @a, of which one is a kernel, and one of @b; routines in the order of numbers.
constexpr const char *kCalls = R"(
source "model.py:3:1"
source "model.py:4:1"
kernel "first" "model.py:3:1" "fusion" 100 200
kernel "second" "model.py:4:1" "fusion" 300 400
region "x" vmem 16 64 ""
region "n" smem 3 5 ""
entry @main
routine @a() {
  block length 2 {
    [0] s1 = s.mov 1 !0
    [1] s1 = s.mov 2 !0
  }
}
routine @main() {
  call @a() kernel 0 !0
  call @b() kernel 1 !1
  call @a() kernel 0 !0
}
routine @b() {
  block length 3 {
    [0] s1 = s.mov 1 !1
    [1] s1 = s.mov 2 !0
    [2] s1 = s.mov 2 !0
  }
}
)";

TEST_F(Encode, PutsTheEntryFirstAndTheOthersInOrder) {
  auto program = encodeText(kCalls);
  ASSERT_TRUE(program.ok()) << program.status();
  const program::ProgramHeader &header = program->header;
  EXPECT_EQ(header.target(), "v3");
  EXPECT_EQ(header.entry(), 1);
  // Three calls and `halt`; then @a with two bundles and @b with three, which hold their `ret`.
  ASSERT_EQ(header.routines_size(), 3);
  EXPECT_EQ(header.routines(0).name(), "a");
  expectRange(header.routines(1).bundles(), 0, 4);
  expectRange(header.routines(0).bundles(), 4, 6);
  expectRange(header.routines(2).bundles(), 6, 9);
  EXPECT_EQ(program->code.size(), 9u);
  EXPECT_EQ(header.overlays_size(), 0);
}

TEST_F(Encode, NotesThePeaksOfRegions) {
  auto program = encodeText(kCalls);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->header.regions_size(), 2);
  EXPECT_EQ(program->header.vmem_rows(), 16 + 64);
  EXPECT_EQ(program->header.smem_words(), 3 + 5);
  EXPECT_EQ(program->header.hbm_rows(), 0);
}

TEST_F(Encode, MakesTheBodyOfAKernelThatIsCalledOnceAPartOfItsCall) {
  auto program = encodeText(kCalls);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto &kernels = program->header.kernels();
  ASSERT_EQ(kernels.size(), 4);
  EXPECT_EQ(kernels[0].name(), "first");
  expectRange(kernels[0].bundles(), 0, 1);
  EXPECT_EQ(kernels[1].name(), "second");
  EXPECT_EQ(kernels[1].flops(), 300);
  EXPECT_EQ(kernels[1].bytes(), 400);
  expectRange(kernels[1].bundles(), 1, 2);
  expectRange(kernels[2].bundles(), 2, 3);
  // @b is called by the second entry alone, and counted from 1; @a has two callers, and none.
  EXPECT_EQ(kernels[3].name(), "second");
  expectRange(kernels[3].bundles(), 6, 9);
  EXPECT_EQ(kernels[3].part_of(), 2);
  EXPECT_EQ(kernels[0].part_of(), 0);
}

TEST_F(Encode, MergesTheSourcesOfNeighbours) {
  auto program = encodeText(kCalls);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto &sources = program->header.sources();
  // By bundle: 0 1 0 | none of `halt` | 0 0 | 1 0 0.
  ASSERT_EQ(sources.size(), 6);
  expectRange(sources[0].bundles(), 0, 1);
  expectRange(sources[1].bundles(), 1, 2);
  expectRange(sources[2].bundles(), 2, 3);
  expectRange(sources[3].bundles(), 4, 6);
  expectRange(sources[4].bundles(), 6, 7);
  expectRange(sources[5].bundles(), 7, 9);
  EXPECT_EQ(sources[0].location(), sources[5].location());
  EXPECT_NE(sources[0].location(), sources[1].location());
}

/// A module whose entry spills `rows` of VMEM and `words` of SMEM, and a callee that spills 8 rows.
std::string spilling(int64_t rows, int64_t words, const std::string &region = "") {
  return R"(
region "x" vmem 0 100 ""
region "n" smem 0 10 ""
)" + region +
         R"(
entry @main
routine @main() spills )" +
         std::to_string(rows) + " " + std::to_string(words) + R"( {
  call @f()
}
routine @f() spills 8 0 {
}
)";
}

TEST_F(Encode, AddsTheRegionsOfSpillFramesBehindTheBuffers) {
  auto program = encodeText(spilling(16, 4));
  ASSERT_TRUE(program.ok()) << program.status();
  const auto &regions = program->header.regions();
  ASSERT_EQ(regions.size(), 5);
  EXPECT_EQ(regions[2].name(), "spill");
  EXPECT_EQ(regions[2].base(), 100);
  EXPECT_EQ(regions[2].size(), 16);
  EXPECT_EQ(regions[3].space(), program::SMEM);
  EXPECT_EQ(regions[3].base(), 10);
  EXPECT_EQ(regions[3].size(), 4);
  // Of @f, above the frame of its caller.
  EXPECT_EQ(regions[4].base(), 116);
  EXPECT_EQ(regions[4].size(), 8);
  EXPECT_EQ(program->header.vmem_rows(), 124);
  EXPECT_EQ(program->header.smem_words(), 14);
}

TEST_F(Encode, PutsSpillFramesBetweenBuffersThatReachToTheEnd) {
  // 68 rows are left behind "kept", which is what its neighbours in VMEM hand on.
  const std::string kept = "region \"kept\" vmem 32000 700 \"\"";
  for (auto [rows, base] : {std::pair(60, 32700), {61, 100}, {32000 - 100 - 8, 100}}) {
    auto program = encodeText(spilling(rows, 0, kept));
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_EQ(program->header.regions(3).name(), "spill");
    EXPECT_EQ(program->header.regions(3).base(), base) << rows;
    EXPECT_EQ(program->header.regions(4).base(), base + rows) << rows;
  }
  EXPECT_EQ(encodeText(spilling(32000 - 100 - 8 + 1, 0, kept)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(Encode, RefusesFramesThatTheMemoriesCannotHold) {
  // 16 MB are 32,768 rows.
  auto rows = encodeText(spilling(32768 - 100 - 8 + 1, 0));
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(rows.status().message(),
              HasSubstr("VMEM has 32768 rows; the program uses 100 and spilled registers 32669"));
  EXPECT_TRUE(encodeText(spilling(32768 - 100 - 8, 0)).ok());
  // 16 KiB are 4,096 words.
  auto words = encodeText(spilling(0, 4096 - 10 + 1));
  EXPECT_EQ(words.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(words.status().message(),
              HasSubstr("SMEM has 4096 words; the program uses 10 and spilled registers 4087"));
  EXPECT_TRUE(encodeText(spilling(0, 4096 - 10)).ok());
}

} // namespace
} // namespace systole::machine
