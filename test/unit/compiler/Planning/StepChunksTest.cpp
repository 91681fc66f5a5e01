// How many chunks of a sum a step of a grid does.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/StepChunks.h"

#include "compiler/Planning/Axes.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

#include "gmock/gmock.h"

using namespace mlir;

namespace systole {
namespace {

using testing::ElementsAre;

struct StepChunksTest : PlanningTest {
  /// The sum of `operand` over its first `dims` dimensions in the stated chunks.
  Operation *sum(std::string operand, std::string dims, std::string result, std::string chunks) {
    auto fusions = parse(
        "func.func @f(%x: " + operand + ") {\n  %0 = kernel.fusion \"reduce\" (%a = %x) : (" +
        operand + ") -> " + result +
        " {\n    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = stablehlo.reduce(%a "
        "init: %z) applies stablehlo.add across dimensions = [" +
        dims + "] {kernel.order = #kernel.order<rows = [1, 2], tree = 0, " + chunks + ">} : (" +
        operand + ", tensor<f32>) -> " + result + "\n    kernel.fused %r : " + result +
        "\n  }\n  return\n}\n");
    ops = operationsOf(fusions.front());
    return ops.back();
  }

  /// The product of `left` and `right`, with attributes.
  Operation *product(std::string left, std::string right, std::string result,
                     std::string attributes = "") {
    auto fusions =
        parse("func.func @f(%x: " + left + ", %y: " + right + ") {\n  %0 = kernel.fusion \"dot\" " +
              "(%a = %x, %b = %y) : (" + left + ", " + right + ") -> " + result +
              " {\n    %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {" +
              attributes + "} : (" + left + ", " + right + ") -> " + result +
              "\n    kernel.fused %r : " + result + "\n  }\n  return\n}\n");
    ops = operationsOf(fusions.front());
    return ops.back();
  }

  /// Whether a step of `op` may do `tile` elements of its sum.
  bool takes(Operation *op, int64_t tile) {
    Blocking blocking = Axes(ops).chunkings().front();
    blocking.cuts.front().blockSize = tile;
    return stepChunksOf(op, blocking).has_value();
  }

  /// The tiles along the axes of chunks in all ways.
  std::vector<std::vector<int64_t>> tiles() {
    std::vector<std::vector<int64_t>> all;
    for (const Blocking &blocking : Axes(ops).chunkings()) {
      all.emplace_back();
      for (const Cut &cut : blocking.cuts)
        all.back().push_back(cut.blockSize);
    }
    return all;
  }

  SmallVector<Operation *> ops;
};

TEST_F(StepChunksTest, TakesOneChunkOrUpToEight) {
  // Of 56 * 56 rows 14 * 56 are a chunk, four of which are an image.
  Operation *op = sum("tensor<16x56x56x64xf32>", "0, 1, 2", "tensor<64xf32>",
                      "chunked = [0, 1], chunk = [1, 14]");
  EXPECT_THAT(tiles(),
              ElementsAre(ElementsAre(1, 14), ElementsAre(1, 28), ElementsAre(1), ElementsAre(2)));

  Axes axes(ops);
  SmallVector<Blocking, 0> found = axes.chunkings();
  std::vector<SmallVector<int64_t>> firsts;
  for (const StepChunk &chunk : chunksOfBlock(op, found[3])) {
    EXPECT_THAT(chunk.shape, ElementsAre(1, 14, 56, 64));
    firsts.push_back(chunk.first);
  }
  EXPECT_THAT(firsts, ElementsAre(ElementsAre(0, 0, 0, 0), ElementsAre(0, 14, 0, 0),
                                  ElementsAre(0, 28, 0, 0), ElementsAre(0, 42, 0, 0),
                                  ElementsAre(1, 0, 0, 0), ElementsAre(1, 14, 0, 0),
                                  ElementsAre(1, 28, 0, 0), ElementsAre(1, 42, 0, 0)));
}

TEST_F(StepChunksTest, TakesAllChunksAtOnceWhereTheyAreFew) {
  // The last of three chunks has 10 rows.
  Operation *op =
      sum("tensor<1x50x8x128xf32>", "0, 1, 2", "tensor<128xf32>", "chunked = [1], chunk = [20]");
  EXPECT_THAT(tiles(), ElementsAre(ElementsAre(20), ElementsAre(40), ElementsAre()));
  EXPECT_THAT(chunksOfBlock(op, Blocking()).back().shape, ElementsAre(1, 10, 8, 128));
}

TEST_F(StepChunksTest, RefusesWhatDoesNotKeepTheOrder) {
  Operation *op = sum("tensor<16x56x56x64xf32>", "0, 1, 2", "tensor<64xf32>",
                      "chunked = [0, 1], chunk = [1, 14]");
  Axes axes(ops);
  Blocking blocking = axes.chunkings().front();
  auto counts = [&](int64_t images, int64_t rows) {
    blocking.cuts[0].blockSize = images;
    blocking.cuts[1].blockSize = rows;
    return stepChunksOf(op, blocking);
  };
  EXPECT_THAT(counts(1, 28), testing::Optional(ElementsAre(1, 2)));
  // Chunks of the second image would come before later ones of the first.
  EXPECT_FALSE(counts(2, 14));
  EXPECT_FALSE(counts(1, 7));
  EXPECT_FALSE(stepChunksOf(op, Blocking()));
  std::swap(blocking.cuts[0], blocking.cuts[1]);
  EXPECT_FALSE(stepChunksOf(op, blocking));
}

TEST_F(StepChunksTest, ProductsOfOnePassAreCutAnywhere) {
  Operation *op = product("tensor<128x8192xbf16>", "tensor<8192x256xbf16>", "tensor<128x256xf32>");
  EXPECT_THAT(tiles(), ElementsAre(ElementsAre(256), ElementsAre(512), ElementsAre(1024),
                                   ElementsAre(2048), ElementsAre()));
  for (int64_t tile : {256, 768, 1792, 5120, 7936})
    EXPECT_TRUE(takes(op, tile)) << tile;
  for (int64_t tile : {128, 384, 1000})
    EXPECT_FALSE(takes(op, tile)) << tile;
  EXPECT_TRUE(stepChunksOf(op, Blocking()));
  EXPECT_THAT(stepChunksOf(op, Axes(ops).chunkings()[2]), testing::Optional(ElementsAre(1)));
}

TEST_F(StepChunksTest, SumsOfAProductsColumnsHaveAxesOfTheirOwn) {
  auto fusions = parse(R"(
    func.func @f(%x: tensor<4096x768xbf16>, %w: tensor<768x256xbf16>) {
      %0 = kernel.fusion "dot" (%a = %x, %b = %w)
          : (tensor<4096x768xbf16>, tensor<768x256xbf16>) -> tensor<256xf32> {
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
            : (tensor<4096x768xbf16>, tensor<768x256xbf16>) -> tensor<4096x256xf32>
        %s = stablehlo.reshape %p : (tensor<4096x256xf32>) -> tensor<32x128x256xf32>
        %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0, 1]
            {kernel.order = #kernel.order<rows = [1], tree = 0, chunked = [0], chunk = [8]>}
            : (tensor<32x128x256xf32>, tensor<f32>) -> tensor<256xf32>
        kernel.fused %r : tensor<256xf32>
      }
      return
    })");
  ops = operationsOf(fusions.front());
  // Rows of the product, whose depth each step does at once; an axis along the depth would leave
  // sums of products that are not there yet. Or all rows at once.
  EXPECT_THAT(tiles(), ElementsAre(ElementsAre(8), ElementsAre(16), ElementsAre()));
  Blocking rows = Axes(ops).chunkings().front();
  Operation *product = nullptr;
  for (Operation *op : ops)
    if (isa<stablehlo::DotGeneralOp>(op))
      product = op;
  EXPECT_THAT(rows.blockShape(product->getResult(0)), ElementsAre(8 * 128, 256));
  EXPECT_THAT(rows.blockShape(product->getOperand(0)), ElementsAre(8 * 128, 768));
}

TEST_F(StepChunksTest, ProductsOfSeveralPassesHaveOneDepth) {
  std::string left = "tensor<128x8192xf32>", right = "tensor<8192x256xf32>",
              result = "tensor<128x256xf32>";
  Operation *op = product(left, right, result);
  EXPECT_THAT(tiles(), ElementsAre(ElementsAre(1024)));
  EXPECT_FALSE(takes(op, 2048));
  EXPECT_FALSE(stepChunksOf(op, Blocking()));
  // Unless the program asks for one pass.
  op = product(left, right, result, "kernel.single_pass");
  EXPECT_TRUE(takes(op, 768));
  EXPECT_TRUE(stepChunksOf(op, Blocking()));
}

TEST_F(StepChunksTest, ShallowProductsAreNotCut) {
  product("tensor<128x256xbf16>", "tensor<256x256xbf16>", "tensor<128x256xf32>");
  EXPECT_THAT(tiles(), ElementsAre(ElementsAre()));
}

} // namespace
} // namespace systole
