// MXUs of 256 x 256: where latches put weights, and the sums that a push adds to the FIFO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr int kSize = 256, kTile = 128, kRows = 8;

// Small integers, of which all products and sums are exact.
float rowCell(int s, int k) { return float((s * 37 + k * 11) % 7 - 3); }
float weight(int k, int n) { return float((k * 5 + n * 13 + k * n) % 9 - 4); }

// Latches 64 groups of eight rows of region `w`, pushes eight rows and stores the results in order.
std::string program(const std::string &latch, int k, int n, int rows, int depths, int columns) {
  std::string text = absl::StrCat(R"(
.program wide
.bundle valu 2 vload 2 push 2 pop 2 immediates 6
.region hw hbm 512
.region ha hbm 16
.region hy hbm 32
.region w vmem 512
.region a vmem 16
.region y vmem 32
.descriptor weights hbm to vmem chunk 65536
.descriptor rows hbm to vmem chunk 2048
.descriptor results vmem to hbm chunk 4096
routine main {
  dma.start dst=0, src=0, dstRegion=w, srcRegion=hw, descriptor=weights, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=a, srcRegion=ha, descriptor=rows, flag=0
  wait 2, flag=0
  { s1 = s.mov 0; s2 = s.mov 0 }
  loop 64 {
    v0 = vld.b32 s2, region=w delay 3
    )",
                                  latch, R"( v0, s1 delay 7
    { s1 = s.add s1, 1; s2 = s.add s2, 8 }
  }
  nop delay 7
  { mxu.swap )",
                                  k, ", ", n, R"(; v1 = vld.b32 0, region=a
    v2 = vld.b32 8, region=a } delay 3
  mxu.push.wide v1, v2, )",
                                  rows, ", ", depths, ", ", columns, " delay 263\n");
  for (int i = 0; i < depths * columns; ++i)
    absl::StrAppend(&text, "  v3 = mxu.pop delay 1\n  vst.b32 v3, ", 8 * i, ", region=y\n");
  return text + R"(
  nop delay 3
  dma.start dst=0, src=0, dstRegion=hy, srcRegion=y, descriptor=results, flag=1
  wait 1, flag=1
  halt
}
)";
}

// The sum over the block of 128 k with number `depth`.
float expected(int s, int column, int depth, int k, int n, int rows) {
  if (s >= rows || column >= n)
    return 0;
  float sum = 0;
  for (int i = depth * kTile; i < std::min(k, (depth + 1) * kTile); ++i)
    sum += rowCell(s, i) * weight(i, column);
  return sum;
}

void expectSums(bool transposed, int k, int n, int rows, int depths, int columns) {
  const std::string latch = transposed ? "mxu.latch.t" : "mxu.latch";
  TextProgram machine(program(latch, k, n, rows, depths, columns), *Target::load("v6e"));
  std::vector<float> w, a;
  // Row 256 j + i has weights (i, 128 j + l), or transposed (128 j + l, i).
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < kSize; ++i)
      for (int l = 0; l < kTile; ++l)
        w.push_back(transposed ? weight(j * kTile + l, i) : weight(i, j * kTile + l));
  for (int j = 0; j < 2; ++j)
    for (int s = 0; s < kRows; ++s)
      for (int l = 0; l < kTile; ++l)
        a.push_back(rowCell(s, j * kTile + l));
  machine.write("hw", w);
  machine.write("ha", a);
  machine.cycles();
  const auto found = machine.read<float>("hy");
  for (int result = 0; result < depths * columns; ++result)
    for (int s = 0; s < kRows; ++s)
      for (int l = 0; l < kTile; ++l)
        ASSERT_EQ(found[size_t((result * kRows + s) * kTile + l)],
                  expected(s, result / depths * kTile + l, result % depths, k, n, rows))
            << latch << " result " << result << " cell " << s << ", " << l;
}

TEST(WideMxu, FourSumsOfFourTiles) {
  expectSums(false, 256, 256, 8, 2, 2);
  expectSums(true, 256, 256, 8, 2, 2);
}

TEST(WideMxu, PartialExtents) {
  expectSums(false, 200, 130, 5, 2, 2);
  expectSums(true, 131, 250, 3, 2, 2);
  expectSums(false, 100, 256, 8, 2, 2);
}

TEST(WideMxu, FewerTiles) {
  expectSums(false, 256, 256, 8, 1, 2);
  expectSums(false, 256, 256, 8, 2, 1);
  expectSums(true, 256, 256, 8, 1, 1);
}

TEST(WideMxu, ProgramsOfOtherBundlesAreRefused) {
  TextProgram machine(program("mxu.latch", 256, 256, 8, 2, 2), *Target::load("v3"));
  EXPECT_FALSE(machine.loadStatus.ok());
}

} // namespace
