// How copies and stages of a grid overlap in the estimate.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Grid.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace systole {
namespace {

// Of v3: a row of 512 bytes takes 512 / 478.7 cycles of HBM's channel, after 470.
constexpr double kLatency = 470;
// Bundles around the copies of a step: at most so many for an operand.
constexpr double kOverhead = 40;

MachineModel v3() { return MachineModel(*Target::load("v3")); }

GridOperand operand(int64_t rows, bool reads, bool hasHalves = true) {
  GridOperand result;
  result.transfer = {512, rows, 1, false};
  result.reads = reads;
  result.writes = !reads;
  result.axes = 1;
  result.hasHalves = hasHalves;
  return result;
}
double channel(int64_t rows) { return v3().channel(512, double(rows)); }

TEST(GridCost, HidesCopiesBehindStages) {
  double cycles = costOf({50}, {operand(100, true)}, {1000.0}, false, v3()).cycles;
  EXPECT_GE(cycles, 50 * 1000 + kLatency + channel(100));
  EXPECT_LE(cycles, 50 * (1000 + kOverhead) + kLatency + channel(100));
}

TEST(GridCost, HidesStagesBehindCopies) {
  GridOperand operands[] = {operand(1000, true), operand(1000, false)};
  double cycles = costOf({50}, operands, {100.0}, false, v3()).cycles;
  EXPECT_GE(cycles, 50 * 2 * channel(1000));
  EXPECT_LE(cycles, 50 * (2 * channel(1000) + kOverhead) + 2 * kLatency + 2 * 100);
}

TEST(GridCost, WaitsForTheLatencyOfTheNextBlock) {
  // Steps that are shorter than the latency cannot hide it: two blocks are under way at once.
  double cycles = costOf({50}, {operand(10, true)}, {100.0}, false, v3()).cycles;
  EXPECT_GE(cycles, 25 * kLatency);
  EXPECT_LE(cycles, 26 * (kLatency + 2 * (channel(10) + kOverhead) + 100));
}

TEST(GridCost, WaitsForEachBlockOfAnOperandWithOneBuffer) {
  double cycles =
      costOf({50}, {operand(100, true, /*hasHalves=*/false)}, {1000.0}, false, v3()).cycles;
  EXPECT_GE(cycles, 50 * (1000 + kLatency + channel(100)));
  EXPECT_LE(cycles, 50 * (1000 + kLatency + channel(100) + kOverhead) + kLatency);
}

TEST(GridCost, CopiesABlockAgainOnlyWhereItChanges) {
  // The second operand is the same along the inner axis.
  GridOperand inner = operand(10, true), outer = operand(10000, true);
  inner.axes = 2;
  GridCost both = costOf({5, 100}, {inner, outer}, {1000.0}, false, v3());
  GridCost one = costOf({5, 100}, {inner}, {1000.0}, false, v3());
  EXPECT_NEAR(both.channel - one.channel, 5 * channel(10000), 1);
  EXPECT_NEAR(one.channel, 500 * channel(10), 1);
  EXPECT_EQ(both.steps, 500 * 1000);
}

TEST(GridCost, CountsAShortLastBlock) {
  GridOperand full = operand(1000, true), shorter = full;
  shorter.lastShare[0] = 0.1;
  double saved = costOf({20}, {full}, {10.0}, false, v3()).channel -
                 costOf({20}, {shorter}, {10.0}, false, v3()).channel;
  EXPECT_NEAR(saved, channel(900), 2);
}

TEST(GridCost, WorksOnPiecesAsTheyArrive) {
  GridOperand whole = operand(1000, true, /*hasHalves=*/false);
  whole.axes = 0;
  GridOperand pieces = whole;
  pieces.pieces.count = 4;
  auto cyclesOf = [](const GridOperand &operand, double stage) {
    return costOf({2}, {operand}, {stage}, false, v3()).cycles;
  };
  // All at once: both steps wait for it.
  EXPECT_NEAR(cyclesOf(whole, 4000), kLatency + channel(1000) + 8000, 4 * kOverhead);
  // Work on a piece takes longer than the next one.
  pieces.pieces.cycles = 1000;
  EXPECT_NEAR(cyclesOf(pieces, 4000), kLatency + channel(250) + 8000, 4 * kOverhead);
  // It waits for each; behind the last one its own work is left.
  pieces.pieces.cycles = 100;
  EXPECT_NEAR(cyclesOf(pieces, 400), kLatency + channel(1000) + 100 + 400, 4 * kOverhead);
}

TEST(GridCost, CopiesOneBlockInAndOut) {
  GridOperand in = operand(100, true, false), out = operand(100, false, false);
  in.axes = out.axes = 0;
  double cycles = costOf({}, {in, out}, {500.0}, false, v3()).cycles;
  double expected = 2 * (kLatency + channel(100)) + 500;
  EXPECT_GE(cycles, expected);
  EXPECT_LE(cycles, expected + 2 * kOverhead);
}

TEST(BlockTransfer, JoinsRowsThatFollowEachOther) {
  MLIRContext context;
  Type f32 = Float32Type::get(&context), bf16 = BFloat16Type::get(&context);
  // Whole rows of four groups of lanes: one chunk.
  BlockTransfer whole = blockTransferOf({{100, 20}, {512, 512}}, f32);
  EXPECT_EQ(whole.bytes(), 20 * 4 * 512);
  EXPECT_EQ(whole.chunkBytes, 20 * 4 * 512);
  // A part of the lanes: a chunk for each row.
  BlockTransfer part = blockTransferOf({{100, 20}, {512, 128}}, f32);
  EXPECT_EQ(part.chunkBytes, 512);
  EXPECT_EQ(part.chunks, 20);
  EXPECT_EQ(part.dmas, 1);
  // Two rows of bf16 share a row of memory.
  EXPECT_EQ(blockTransferOf({{100, 20}, {512, 512}}, bf16).bytes(), 20 * 2 * 512);
  // Distances along two dimensions: one is the count of a copy, the other repeats it.
  BlockTransfer box = blockTransferOf({{8, 4}, {100, 20}, {512, 128}}, f32);
  EXPECT_EQ(box.chunks, 20);
  EXPECT_EQ(box.dmas, 4);
  EXPECT_FALSE(box.isClipped);
  EXPECT_TRUE(blockTransferOf({{90, 20}, {512, 512}}, f32).isClipped);
}

} // namespace
} // namespace systole
