// Which elements of their operands steps need that compute windows of what they compute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Halos.h"

#include "compiler/Planning/Axes.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

using namespace mlir;

namespace systole {
namespace {

constexpr const char *kPad = " {edge_padding_low = array<i64: LOW, 0>, edge_padding_high = "
                             "array<i64: HIGH, 0>, interior_padding = array<i64: 0, 0>}";

struct HalosTest : PlanningTest {
  /// A fusion of one argument, %a of type f32[rows, 128], whose last operation gives its result.
  void makeFusion(int64_t rows, std::string body, std::string results, std::string types,
                  std::string element = "f32") {
    std::string type = "tensor<" + std::to_string(rows) + "x128x" + element + ">";
    fusions = parse("func.func @f(%x: " + type + ") {\n  %zero = stablehlo.constant dense<0.0> : " +
                    "tensor<f32>\n  %0:" + std::to_string(1 + llvm::count(types, ',')) +
                    " = kernel.fusion \"loop\" (%a = %x) : (" + type + ") -> (" + types + ") {\n" +
                    body + "    kernel.fused " + results + " : " + types + "\n  }\n  return\n}\n");
    ASSERT_EQ(fusions.size(), 1u);
    ops = operationsOf(fusions.front());
  }

  static std::string padded(int64_t low, int64_t high) {
    std::string text = kPad;
    text.replace(text.find("LOW"), 3, std::to_string(low));
    return text.replace(text.find("HIGH"), 4, std::to_string(high));
  }

  Operation *find(StringRef name) const {
    auto *it =
        llvm::find_if(ops, [&](Operation *op) { return op->getName().stripDialect() == name; });
    return it == ops.end() ? nullptr : *it;
  }

  std::vector<kernel::FusionOp> fusions;
  SmallVector<Operation *> ops;
};

// The sum of the rows i, i + 1 and i + 2 of a padding by one row of exp(a): rows i - 1 to i + 1.
constexpr const char *kBlur = R"(
    %e = stablehlo.exponential %a : tensor<64x128xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %p = "stablehlo.pad"(%e, %z)PAD : (tensor<64x128xf32>, tensor<f32>) -> tensor<66x128xf32>
    %s0 = stablehlo.slice %p [0:64, 0:128] : (tensor<66x128xf32>) -> tensor<64x128xf32>
    %s1 = stablehlo.slice %p [1:65, 0:128] : (tensor<66x128xf32>) -> tensor<64x128xf32>
    %s2 = stablehlo.slice %p [2:66, 0:128] : (tensor<66x128xf32>) -> tensor<64x128xf32>
    %t = stablehlo.add %s0, %s1 : tensor<64x128xf32>
    %r = stablehlo.add %t, %s2 : tensor<64x128xf32>
)";

std::string blur() {
  std::string text = kBlur;
  return text.replace(text.find("PAD"), 3, HalosTest::padded(1, 1));
}

TEST_F(HalosTest, ReachesTheOperandsOfWhatIsReadInWindows) {
  makeFusion(64, blur(), "%r", "tensor<64x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  // Of the padding rows 8 i to 8 i + 9, of its operand those one before.
  const Span *padding = cut->haloOf(find("pad")->getResult(0));
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->start(8), 0);
  EXPECT_EQ(padding->size(8), 10);
  const Span *values = cut->haloOf(find("exponential")->getResult(0));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->start(8), -1);
  EXPECT_EQ(values->size(8), 10);
  // The argument is read in the same way.
  cut->blockSize = 8;
  Blocking blocking;
  blocking.cuts.push_back(*cut);
  OpOperand &argument = find("exponential")->getOpOperand(0);
  ASSERT_TRUE(cut->offsetBlockOf(argument));
  EXPECT_TRUE(blocking.hasOwnBlock(argument));
  EXPECT_EQ(blocking.blockShape(argument), SmallVector<int64_t>({10, 128}));
}

TEST_F(HalosTest, WhatLeavesIsAPart) {
  makeFusion(64, blur(), "%e, %r", "tensor<64x128xf32>, tensor<64x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  cut->blockSize = 16;
  Blocking blocking;
  blocking.cuts.push_back(*cut);
  Value values = find("exponential")->getResult(0);
  EXPECT_EQ(cut->dimOf(values), 0);
  EXPECT_EQ(blocking.blockShape(values), SmallVector<int64_t>({18, 128}));
  EXPECT_EQ(blocking.resultShape(values), SmallVector<int64_t>({16, 128}));
  EXPECT_EQ(blocking.slackOf(values), SmallVector<int64_t>({1, 0}));
}

TEST_F(HalosTest, PadsAskForTheirPadding) {
  makeFusion(64, blur(), "%r", "tensor<64x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  cut->blockSize = 8;
  Blocking blocking;
  blocking.cuts.push_back(*cut);
  Value values = find("exponential")->getResult(0);
  ASSERT_TRUE(edgeOf(values, blocking));
  EXPECT_EQ(edgeOf(values, blocking).getSplatValue<float>(), 0.0f);
  EXPECT_EQ(cutsBeyondEnds(values, blocking).size(), 1u);
  // Of the padding no step sees more than there is.
  EXPECT_TRUE(cutsBeyondEnds(find("pad")->getResult(0), blocking).empty());
}

TEST_F(HalosTest, EverySecondRow) {
  // Rows 2 i and 2 i + 1 of exp(a).
  makeFusion(64, R"(
    %e = stablehlo.exponential %a : tensor<64x128xf32>
    %s0 = stablehlo.slice %e [0:63:2, 0:128] : (tensor<64x128xf32>) -> tensor<32x128xf32>
    %s1 = stablehlo.slice %e [1:64:2, 0:128] : (tensor<64x128xf32>) -> tensor<32x128xf32>
    %r = stablehlo.add %s0, %s1 : tensor<32x128xf32>
)",
             "%r", "tensor<32x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  const Span *values = cut->haloOf(find("exponential")->getResult(0));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->stride(4), 8);
  EXPECT_EQ(values->size(4), 8);
  // It cannot leave the kernel, whose steps have other rows of it than of the sum.
  makeFusion(64, R"(
    %e = stablehlo.exponential %a : tensor<64x128xf32>
    %r = stablehlo.slice %e [0:63:2, 0:128] : (tensor<64x128xf32>) -> tensor<32x128xf32>
)",
             "%e, %r", "tensor<64x128xf32>, tensor<32x128xf32>");
  EXPECT_FALSE(Axes(ops).cutAlong(ops.back()->getResult(0), 0));
}

TEST_F(HalosTest, NoMoreOfAReshapeThanOfItsOperand) {
  // Steps of two pieces would have two of a reshape that is one.
  makeFusion(64, R"(
    %e = stablehlo.exponential %a : tensor<64x128xf32>
    %p = stablehlo.reshape %e : (tensor<64x128xf32>) -> tensor<64x1x128xf32>
    %n = stablehlo.negate %p : tensor<64x1x128xf32>
    %r = stablehlo.concatenate %p, %n, %p, dim = 1 : (tensor<64x1x128xf32>, tensor<64x1x128xf32>, tensor<64x1x128xf32>) -> tensor<64x3x128xf32>
)",
             "%r", "tensor<64x3x128xf32>");
  EXPECT_FALSE(Axes(ops).cutAlong(ops.back()->getResult(0), 1));
  EXPECT_TRUE(Axes(ops).cutAlong(ops.back()->getResult(0), 0));
}

TEST_F(HalosTest, LanesOfTheArrayThatAReshapeReads) {
  // A reshape copies all of a block, which along the lanes starts at a multiple of 128.
  makeFusion(1, R"(
    %p = stablehlo.reshape %a : (tensor<1x128xf32>) -> tensor<128x1xf32>
    %b = stablehlo.broadcast_in_dim %p, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x64xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.pad %b, %z, low = [7, 0], high = [0, 0], interior = [0, 0] : (tensor<128x64xf32>, tensor<f32>) -> tensor<135x64xf32>
)",
             "%r", "tensor<135x64xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  const OffsetBlock *block = cut->offsetBlockOf(find("reshape")->getOpOperand(0));
  ASSERT_TRUE(block);
  const Span *reshaped = cut->haloOf(find("reshape")->getResult(0));
  ASSERT_TRUE(reshaped);
  for (int64_t size : {128, 256}) {
    EXPECT_EQ(block->start(size) % 128, 0);
    EXPECT_EQ(reshaped->start(size), block->start(size));
    EXPECT_EQ(reshaped->size(size), block->size(size));
  }
}

TEST_F(HalosTest, RunsOfAReshape) {
  // Row i + 1 of a reshape whose rows 2 i and 2 i + 1 are one of the operand.
  makeFusion(64, R"(
    %e = stablehlo.exponential %a : tensor<64x128xf32>
    %p = stablehlo.reshape %e : (tensor<64x128xf32>) -> tensor<32x2x128xf32>
    %n = stablehlo.negate %p : tensor<32x2x128xf32>
    %q = stablehlo.reshape %n : (tensor<32x2x128xf32>) -> tensor<64x128xf32>
    %r = stablehlo.slice %q [1:63, 0:128] : (tensor<64x128xf32>) -> tensor<62x128xf32>
)",
             "%r", "tensor<62x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  // Rows 1 to 4 are in the pairs 0 to 2, which are rows 0 to 5.
  const Span *pairs = cut->haloOf(find("negate")->getResult(0));
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->start(4), 0);
  EXPECT_EQ(pairs->stride(4), 2);
  EXPECT_EQ(pairs->size(4), 3);
  const Span *values = cut->haloOf(find("exponential")->getResult(0));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->start(4), 0);
  EXPECT_EQ(values->size(4), 6);
}

TEST_F(HalosTest, RowsOfTheArrayThatAReshapeReads) {
  // Rows 1 to 4 are wanted. Two rows of the array are 512 bytes, so its block is rows 0 to 5, and
  // that is what the reshape copies.
  makeFusion(64, R"(
    %p = stablehlo.reshape %a : (tensor<64x128xbf16>) -> tensor<64x1x128xbf16>
    %r = stablehlo.slice %p [1:63, 0:1, 0:128] : (tensor<64x1x128xbf16>) -> tensor<62x1x128xbf16>
)",
             "%r", "tensor<62x1x128xbf16>", "bf16");
  std::optional<Cut> cut = Axes(ops).cutAlong(ops.back()->getResult(0), 0);
  ASSERT_TRUE(cut);
  const OffsetBlock *block = cut->offsetBlockOf(find("reshape")->getOpOperand(0));
  ASSERT_TRUE(block);
  EXPECT_EQ(block->start(4), 0);
  EXPECT_EQ(block->size(4), 6);
  const Span *reshaped = cut->haloOf(find("reshape")->getResult(0));
  ASSERT_TRUE(reshaped);
  EXPECT_EQ(reshaped->start(4), 0);
  EXPECT_EQ(reshaped->size(4), 6);
}

} // namespace
} // namespace systole
