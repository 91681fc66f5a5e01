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

} // namespace
} // namespace systole
