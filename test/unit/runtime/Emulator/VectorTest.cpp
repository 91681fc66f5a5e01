// Vector instructions in programs: loads and stores of every type, masks, moves
// across lanes and sublanes, MXUs with their latches.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <numeric>

#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;

namespace {

using Cells = std::vector<int32_t>;

// Runs a body on v2 with 24 rows of input in region `a` of VMEM and 24 zero rows
// in region `b`, which come back. v1 holds lane numbers, v2 sublane numbers.
Cells run(const std::string &body, const Cells &input = {}) {
  TextProgram machine(R"(
.program vector
.region x hbm 24
.region y hbm 24
.region a vmem 24
.region b vmem 24
.descriptor in hbm to vmem chunk 3072
.descriptor out vmem to hbm chunk 3072
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  { wait 1, flag=0
    v1 = v.lane
    v2 = v.sublane }
)" + body + R"(
  nop delay 3
  dma.start dst=0, src=0, dstRegion=y, srcRegion=b, descriptor=out, flag=0
  wait 1, flag=0
  halt
}
)");
  if (!input.empty())
    machine.write("x", input);
  machine.cycles();
  return machine.read<int32_t>("y");
}

Cells iota(int count, int from = 0) {
  Cells values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), from);
  return values;
}

// Eight rows, cell (s, l) as given.
Cells block(const std::function<int32_t(int, int)> &cell) {
  Cells cells;
  for (int s = 0; s < 8; ++s)
    for (int l = 0; l < 128; ++l)
      cells.push_back(cell(s, l));
  return cells;
}

Cells first(const Cells &cells, size_t count = 1024) {
  return Cells(cells.begin(), cells.begin() + ptrdiff_t(count));
}

TEST(Vector, Coordinates) {
  Cells y = run("v3 = v.mul v2, 1000 delay 2\n v3 = v.add v3, v1 delay 1\n"
                "vst.b32 v3, 0, region=b");
  EXPECT_EQ(first(y), block([](int s, int l) { return s * 1000 + l; }));
}

TEST(Vector, StridedAndOffsetRows) {
  // Rows 1, 4, 7 ... 22 to rows 23, 22, ... 16.
  Cells y = run("v3 = vld.b32 -1, 3, offset=2, region=a delay 3\n"
                "s1 = s.mov 23\n vst.b32 v3, s1, -1, region=b",
                iota(24 * 128));
  for (int s = 0; s < 8; ++s)
    for (int l = 0; l < 128; ++l)
      ASSERT_EQ(y[size_t((23 - s) * 128 + l)], (1 + 3 * s) * 128 + l);
  EXPECT_EQ(first(y), Cells(1024, 0));
}

TEST(Vector, StrideZeroBroadcastsARowAndTheHighestSublaneWins) {
  Cells y = run("v3 = vld.b32 5, 0, region=a delay 3\n vst.b32 v3, 0, region=b\n"
                "vst.b32 v2, 8, 0, region=b",
                iota(24 * 128));
  EXPECT_EQ(first(y), block([](int, int l) { return 5 * 128 + l; }));
  EXPECT_EQ(y[8 * 128 + 9], 7);
  EXPECT_EQ(y[9 * 128], 0);
}

TEST(Vector, MaskedLoadsAndStores) {
  Cells y = run(R"(
  { m1 = v.lt v1, 100
    m2 = v.le 3, v2 } delay 1
  m3 = m.and m1, m2 delay 1
  v3 = vld.b32 0, mask=m3, region=a delay 3
  vst.b32 v3, 0, region=b
  v4 = v.mov -1 delay 1
  vst.b32 v4, 8, mask=m1, region=b
  m4 = m.andn m1, m2 delay 1
  v5 = v.sel m4, 7, v2 delay 1
  vst.b32 v5, 16, region=b
)",
                iota(24 * 128, 1));
  Cells expected = block([](int s, int l) { return l < 100 && s >= 3 ? s * 128 + l + 1 : 0; });
  Cells stored = block([](int, int l) { return l < 100 ? -1 : 0; });
  Cells selected = block([](int s, int l) { return l < 100 && s < 3 ? 7 : s; });
  expected.insert(expected.end(), stored.begin(), stored.end());
  expected.insert(expected.end(), selected.begin(), selected.end());
  EXPECT_EQ(y, expected);
}

TEST(Vector, PackedTypesRoundTrip) {
  // Values whose narrow forms are exact, through each narrow type and back. 16
  // logical rows of 16 bits lie in 8 rows, 32 of 8 bits in 8.
  struct Case {
    const char *store, *load;
    int pack;
    bool isFloat;
    int32_t low;
  };
  for (Case c :
       {Case{"vst.bf16", "vld.bf16", 2, true, -64}, Case{"vst.f16", "vld.f16", 2, true, -500},
        Case{"vst.b16", "vld.s16", 2, false, -500}, Case{"vst.b16", "vld.u16", 2, false, 0},
        Case{"vst.b8", "vld.s8", 4, false, -64}, Case{"vst.b8", "vld.u8", 4, false, 0}}) {
    std::string body = "v3 = v.and v1, 127\n"
                       "nop\n v3 = v.add v3, " +
                       std::to_string(c.low) + " delay 1\n";
    if (c.isFloat)
      body += "v3 = v.cvt.s32.f32 v3 delay 1\n";
    // Row 3 + 2 s of the narrow type, in scratch rows of `a`.
    body += std::string(c.store) + " v3, 3, 2, region=a delay 1\n";
    body += std::string("v4 = ") + c.load + " 3, 2, region=a delay 3\n";
    if (c.isFloat)
      body += "v4 = v.cvt.f32.s32 v4 delay 1\n";
    body += "vst.b32 v4, 0, region=b\n v5 = vld.b32 0, region=a delay 3\n vst.b32 v5, 8, region=b";
    Cells y = run(body, Cells(24 * 128, -1));
    EXPECT_EQ(first(y), block([&](int, int l) { return l + c.low; })) << c.store << c.load;
    // Fields beside the stored ones are unchanged.
    for (int row = 0; row < 8; ++row)
      for (int part = 0; part < c.pack; ++part) {
        int logical = row * c.pack + part, bits = 32 / c.pack;
        bool stored = logical >= 3 && logical <= 17 && logical % 2 == 1;
        if (!stored) {
          ASSERT_EQ(y[size_t(8 + row) * 128] >> (part * bits) & ((1 << bits) - 1), (1 << bits) - 1)
              << c.store << " row " << logical;
        }
      }
  }
}

TEST(Vector, Bf16Rounds) {
  // 1 + 2^-8 is half way between bf16 values: to even. 1 + 2^-8 + 2^-20 is above.
  Cells y = run("v3 = v.mov 0x3f808000 delay 1\n vst.bf16 v3, 0, region=b\n"
                "v3 = v.mov 0x3f808008 delay 1\n vst.bf16 v3, 16, region=b\n"
                "v3 = v.mov 0x00400000 delay 1\n vst.bf16 v3, 32, region=b");
  EXPECT_EQ(y[0], 0x3f803f80);
  EXPECT_EQ(y[8 * 128], 0x3f813f81);
  EXPECT_EQ(y[16 * 128], 0);
}

TEST(Vector, F16HasDenormals) {
  // 2^-24 is the least, 2^-25 half way to it, 1023 * 2^-24 the largest, 2^-14 above.
  struct Case {
    const char *value;
    uint32_t narrow, wide;
  };
  for (Case c : {Case{"0x33800000", 1, 0x33800000}, Case{"0x33000000", 0, 0},
                 Case{"0x33000001", 1, 0x33800000}, Case{"0x387fc000", 0x3ff, 0x387fc000},
                 Case{"0x387fe000", 0x400, 0x38800000}, Case{"0xb4200000", 0x8002, 0xb4000000},
                 Case{"0xb4200001", 0x8003, 0xb4400000}, Case{"0x00400000", 0, 0},
                 Case{"0x80000000", 0x8000, 0x80000000}}) {
    Cells y = run("v3 = v.mov " + std::string(c.value) +
                  " delay 1\n vst.f16 v3, 0, region=b delay 3\n"
                  "v4 = vld.f16 0, region=b\n v5 = v.rnd.f16 v3 delay 3\n"
                  "vst.b32 v4, 8, region=b\n vst.b32 v5, 16, region=b");
    EXPECT_EQ(uint32_t(y[0]), c.narrow * 0x10001) << c.value;
    EXPECT_EQ(uint32_t(y[8 * 128]), c.wide) << c.value;
    EXPECT_EQ(uint32_t(y[16 * 128]), c.wide) << c.value;
  }
}

TEST(Vector, SublaneMoves) {
  Cells y = run("v3 = v.rots v2, 3\n v4 = v.gathers v2, 5\n v5 = v.gathers v2, v1 delay 1\n"
                "vst.b32 v3, 0, region=b\n vst.b32 v4, 8, region=b\n vst.b32 v5, 16, region=b");
  Cells expected = block([](int s, int) { return (s + 5) % 8; });
  Cells gathered = block([](int, int) { return 5; }),
        indexed = block([](int, int l) { return l % 8; });
  expected.insert(expected.end(), gathered.begin(), gathered.end());
  expected.insert(expected.end(), indexed.begin(), indexed.end());
  EXPECT_EQ(y, expected);
}

TEST(Vector, SublaneMovesInPlace) {
  Cells y =
      run("v2 = v.rots v2, 1 delay 1\n v2 = v.gathers v2, v2 delay 1\n vst.b32 v2, 0, region=b");
  // Rotated: s - 1; then the row that it names.
  EXPECT_EQ(first(y), block([](int s, int) { return (((s + 7) % 8) + 7) % 8; }));
}

TEST(Vector, LaneMoves) {
  Cells y = run(R"(
  v3 = v.mul v1, 37 delay 2
  xlu.rotate v1, 5
  xlu.bcast v1, 77
  xlu.gather v1, v3 delay 24
  v4 = xlu.pop
  v5 = xlu.pop
  v6 = xlu.pop delay 1
  vst.b32 v4, 0, region=b
  vst.b32 v5, 8, region=b
  vst.b32 v6, 16, region=b
)");
  Cells expected = block([](int, int l) { return (l + 123) % 128; });
  Cells broadcast = block([](int, int) { return 77; });
  Cells gathered = block([](int, int l) { return l * 37 % 128; });
  expected.insert(expected.end(), broadcast.begin(), broadcast.end());
  expected.insert(expected.end(), gathered.begin(), gathered.end());
  EXPECT_EQ(y, expected);
}

TEST(Vector, Reductions) {
  Cells y = run(R"(
  v3 = v.mul v2, 1000 delay 2
  v3 = v.sub v1, v3 delay 1
  xlu.add v3 delay 3
  xlu.max v3 delay 3
  xlu.minu v3 delay 47
  v4 = xlu.pop
  v5 = xlu.pop
  v6 = xlu.pop delay 1
  vst.b32 v4, 0, region=b
  vst.b32 v5, 8, region=b
  vst.b32 v6, 16, region=b
)");
  // Sublane s holds l - 1000 s: sum 8128 - 128000 s; as unsigned the least is the
  // first lane's, as all are positive in sublane 0 and negative elsewhere.
  Cells expected = block([](int s, int) { return 8128 - 128000 * s; });
  Cells most = block([](int s, int) { return 127 - 1000 * s; });
  Cells least = block([](int s, int) { return -1000 * s; });
  expected.insert(expected.end(), most.begin(), most.end());
  expected.insert(expected.end(), least.begin(), least.end());
  EXPECT_EQ(y, expected);
}

TEST(Vector, TransposesPartOfABlock) {
  // Two pushes, 16 rows of 128: three of the 16 results, 24 rows of 16.
  Cells y = run(R"(
  v3 = vld.b32 0, region=a
  v4 = vld.b32 8, region=a delay 3
  xlu.tr v3 delay 7
  xlu.tr.end v4, pops=3 delay 31
  v5 = xlu.pop
  v6 = xlu.pop
  v7 = xlu.pop delay 1
  vst.b32 v5, 0, region=b
  vst.b32 v6, 8, region=b
  vst.b32 v7, 16, region=b
)",
                iota(24 * 128));
  for (int r = 0; r < 24; ++r)
    for (int l = 0; l < 128; ++l)
      ASSERT_EQ(y[size_t(r * 128 + l)], l < 16 ? l * 128 + r : 0);
}

// Cells behind the block's rows are zero also where earlier results stood: every place of the queue
// of 32 has held sevens.
TEST(Vector, TransposesPartOfABlockOverOldResults) {
  Cells y = run(R"(
  v3 = v.mov 7 delay 1
  loop 32 {
    xlu.rotate v3, 1 delay 15
    v4 = xlu.pop
  }
  v3 = vld.b32 0, region=a delay 3
  xlu.tr.end v3, pops=2 delay 31
  v5 = xlu.pop
  v6 = xlu.pop delay 1
  vst.b32 v5, 0, region=b
  vst.b32 v6, 8, region=b
)",
                iota(24 * 128, 1));
  for (int r = 0; r < 16; ++r)
    for (int l = 0; l < 128; ++l)
      ASSERT_EQ(y[size_t(r * 128 + l)], l < 8 ? l * 128 + r + 1 : 0)
          << "row " << r << " lane " << l;
}

TEST(Vector, LaneToScalarAndBack) {
  Cells y = run("v2s v1, 3, 42\n v2s v2, 13, 0 delay 15\n s1 = v2s.pop\n s2 = v2s.pop\n"
                "s1 = s.mul s1, s2 delay 2\n v3 = v.mov s1 delay 1\n vst.b32 v3, 0, region=b");
  EXPECT_EQ(y[500], 42 * 5);
}

TEST(Vector, RegistersExchangeInABundle) {
  Cells y = run("{ v1 = v.mov v2\n v2 = v.mov v1 } delay 1\n"
                "{ vst.b32 v1, 0, region=b\n v1 = v.mov 9 }\n vst.b32 v2, 8, region=b");
  EXPECT_EQ(first(y), block([](int s, int) { return s; }));
  EXPECT_EQ(y[8 * 128 + 5], 5);
}

// (8 x 128) times weights whose cell (k, n) is the result of `latches`; the rows
// are unit vectors e0 .. e7, so that the result shows weight rows 0 to 7.
Cells weightsShown(const std::string &latches, const Cells &input) {
  return run(R"(
  v3 = v.sub v1, v2 delay 1
  m1 = v.eq v3, 0 delay 1
  v3 = v.sel m1, 1.0, 0.0
  v4 = vld.b32 0, region=a
  v5 = vld.b32 8, region=a delay 3
  v4 = v.cvt.s32.f32 v4
  v5 = v.cvt.s32.f32 v5 delay 1
)" + latches + R"(
  mxu.push v3, 8 delay 135
  v6 = mxu.pop delay 1
  v6 = v.cvt.f32.s32 v6 delay 1
  vst.b32 v6, 0, region=b
)",
             input);
}

// Small integers, exact in bf16.
Cells smallValues() {
  Cells values;
  for (int r = 0; r < 24; ++r)
    for (int l = 0; l < 128; ++l)
      values.push_back((r * 31 + l * 7) % 101 - 50);
  return values;
}

TEST(Vector, WeightsByRows) {
  Cells x = smallValues();
  Cells y = weightsShown("mxu.latch v4, 0 delay 7\n mxu.swap 128, 128 delay 1\n", x);
  EXPECT_EQ(first(y), first(x));
  // Extents leave out rows and columns.
  y = weightsShown("mxu.latch v4, 0 delay 7\n mxu.swap 3, 100 delay 1\n", x);
  EXPECT_EQ(first(y),
            block([&](int s, int l) { return s < 3 && l < 100 ? x[size_t(s * 128 + l)] : 0; }));
}

TEST(Vector, WeightsByColumns) {
  Cells x = smallValues();
  // Weight (k, n) = cell (n, k) for n < 8.
  Cells y = weightsShown("mxu.latch.t v4, 0 delay 7\n mxu.swap 128, 128 delay 1\n", x);
  EXPECT_EQ(first(y), block([&](int s, int l) { return l < 8 ? x[size_t(l * 128 + s)] : 0; }));
}

TEST(Vector, ASwapForgetsOlderWeights) {
  Cells x = smallValues();
  // The same shadow latch first has row group 0, later only group 1.
  Cells y = weightsShown("mxu.latch v4, 0 delay 7\n mxu.swap 128, 128 delay 1\n"
                         "mxu.latch v5, 0 delay 7\n mxu.swap 128, 128 delay 1\n"
                         "mxu.latch v5, 1 delay 7\n mxu.swap 128, 128 delay 1\n",
                         x);
  EXPECT_EQ(first(y), Cells(1024, 0));
}

TEST(Vector, RowsAndColumnsMix) {
  Cells x = smallValues();
  // Rows first, then columns over them; and the other way round.
  Cells y = weightsShown(
      "mxu.latch v4, 0 delay 7\n mxu.latch.t v5, 1 delay 7\n mxu.swap 128, 128 delay 1\n", x);
  EXPECT_EQ(first(y), block([&](int s, int l) {
              return l >= 8 && l < 16 ? x[size_t((8 + l - 8) * 128 + s)] : x[size_t(s * 128 + l)];
            }));
  y = weightsShown(
      "mxu.latch.t v5, 1 delay 7\n mxu.latch v4, 0 delay 7\n mxu.swap 128, 128 delay 1\n", x);
  EXPECT_EQ(first(y), first(x));
}

TEST(Vector, PushesKeepTheWeightsTheyHad) {
  Cells x = smallValues();
  Cells y = weightsShown("mxu.latch v4, 0 delay 7\n mxu.swap 128, 128 delay 1\n"
                         "mxu.push v3, 8\n mxu.latch v5, 0 delay 7\n mxu.swap 128, 128 delay 1\n"
                         "mxu.push v3, 5 delay 127\n v7 = mxu.pop delay 7\n v8 = mxu.pop delay 1\n"
                         "v7 = v.cvt.f32.s32 v7\n v8 = v.cvt.f32.s32 v8 delay 1\n"
                         "vst.b32 v7, 8, region=b\n vst.b32 v8, 16, region=b\n",
                         x);
  Cells second(y.begin() + 1024, y.begin() + 2048), third(y.begin() + 2048, y.end());
  EXPECT_EQ(second, first(x));
  EXPECT_EQ(third, block([&](int s, int l) { return s < 5 ? x[size_t((8 + s) * 128 + l)] : 0; }));
}

} // namespace
