// How a cut divides the tensors of a kernel that has reshapes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Axes.h"

#include "test/unit/compiler/Planning/PlanningTest.h"

using namespace mlir;

namespace systole {
namespace {

struct AxesTest : PlanningTest {
  /// A fusion of %a, of type `argument`; %r is its result.
  void makeFusion(const std::string &argument, const std::string &body, const std::string &result) {
    auto fusions =
        parse("func.func @f(%x: " + argument +
              ") {\n  %0 = kernel.fusion \"loop\" (%a = " + "%x) : (" + argument + ") -> " +
              result + " {\n" + body + "    kernel.fused %r : " + result + "\n  }\n  return\n}\n");
    ASSERT_EQ(fusions.size(), 1u);
    fusion = fusions.front();
    ops = operationsOf(fusion);
  }

  Value argument() { return fusion.getBody().getArgument(0); }
  Value result() { return fusion.getBody().front().getTerminator()->getOperand(0); }

  kernel::FusionOp fusion;
  SmallVector<Operation *> ops;
};

constexpr const char *kMerge = R"(
    %e = stablehlo.exponential %a : tensor<8x12x128xf32>
    %m = stablehlo.reshape %e : (tensor<8x12x128xf32>) -> tensor<96x128xf32>
    %r = stablehlo.negate %m : tensor<96x128xf32>
)";

TEST_F(AxesTest, GoesThroughAReshapeThatMerges) {
  makeFusion("tensor<8x12x128xf32>", kMerge, "tensor<96x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(argument(), 0);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->size, 8);
  EXPECT_EQ(cut->cutDimOf(result()), (CutDim{0, 12}));
  cut->blockSize = 2;
  Blocking blocking;
  blocking.cuts.push_back(*cut);
  EXPECT_EQ(blocking.blockShape(argument()), (SmallVector<int64_t>{2, 12, 128}));
  EXPECT_EQ(blocking.blockShape(result()), (SmallVector<int64_t>{24, 128}));
  // The inner one of the merged dimensions is no run of the merged one.
  EXPECT_FALSE(Axes(ops).cutAlong(argument(), 1));
}

TEST_F(AxesTest, GoesThroughAReshapeThatSplits) {
  makeFusion("tensor<96x128xf32>", R"(
    %e = stablehlo.exponential %a : tensor<96x128xf32>
    %r = stablehlo.reshape %e : (tensor<96x128xf32>) -> tensor<8x12x128xf32>
)",
             "tensor<8x12x128xf32>");
  std::optional<Cut> cut = Axes(ops).cutAlong(result(), 0);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->cutDimOf(argument()), (CutDim{0, 12}));
}

TEST_F(AxesTest, StartsRunsAtWholeRows) {
  // Two rows of bf16 share 512 bytes: runs of three begin there for every second element.
  makeFusion("tensor<8x3x128xf32>", R"(
    %e = stablehlo.exponential %a : tensor<8x3x128xf32>
    %m = stablehlo.reshape %e : (tensor<8x3x128xf32>) -> tensor<24x128xf32>
    %r = stablehlo.convert %m : (tensor<24x128xf32>) -> tensor<24x128xbf16>
)",
             "tensor<24x128xbf16>");
  Axes axes(ops);
  std::optional<Cut> cut = axes.cutAlong(argument(), 0);
  ASSERT_TRUE(cut);
  EXPECT_EQ(axes.quantumOf(*cut, /*vectors=*/false), 2);
}

TEST_F(AxesTest, IsFoundForAnyOfTheShapes) {
  makeFusion("tensor<8x12x128xf32>", kMerge, "tensor<96x128xf32>");
  SmallVector<Cut> cuts = Axes(ops).parallelCuts();
  EXPECT_TRUE(llvm::any_of(cuts, [&](const Cut &cut) {
    return cut.cutDimOf(argument()) == CutDim{0} && cut.cutDimOf(result()) == CutDim{0, 12};
  }));
}

TEST_F(AxesTest, DoesNotStartAtAConstantThatIsRead) {
  makeFusion("tensor<96x128xf32>", R"(
    %c = stablehlo.constant dense<1.0> : tensor<8x12x128xf32>
    %m = stablehlo.reshape %c : (tensor<8x12x128xf32>) -> tensor<96x128xf32>
    %r = stablehlo.add %a, %m : tensor<96x128xf32>
)",
             "tensor<96x128xf32>");
  SmallVector<Cut> cuts = Axes(ops).parallelCuts();
  EXPECT_FALSE(cuts.empty());
  for (const Cut &cut : cuts)
    EXPECT_FALSE(isa_and_nonnull<stablehlo::ConstantOp>(cut.seed.getDefiningOp()));
}

} // namespace
} // namespace systole
