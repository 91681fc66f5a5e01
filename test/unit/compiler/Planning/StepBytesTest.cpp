// The VMEM that stages take beside their operands and results, computed by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/StepBytes.h"

#include "compiler/Planning/Axes.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

using namespace mlir;

namespace systole {
namespace {

struct StepBytesTest : PlanningTest {
  /// Of a fusion with everything in one step, where products that ask for the default have
  /// `passes`.
  int64_t bytesOf(kernel::FusionOp fusion, int passes) {
    SmallVector<Operation *> ops = operationsOf(fusion);
    Axes axes(ops);
    return StepBytes(ops, axes.groupTensors(), passes).footprint(Blocking());
  }
};

// Passes are summed beside the first one: of 3 x 3 x 128 x 256 elements.
TEST_F(StepBytesTest, CountsTheSumsOfPassesOfAFilterGradient) {
  auto fusions = parse(R"(
func.func @f(%x: tensor<8x4x4x128xf32>, %g: tensor<8x4x4x256xf32>) {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) : (tensor<8x4x4x128xf32>, tensor<8x4x4x256xf32>) -> tensor<3x3x256x128xf32> {
    %r = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x4x4x128xf32>, tensor<8x4x4x256xf32>) -> tensor<3x3x256x128xf32>
    kernel.fused %r : tensor<3x3x256x128xf32>
  }
  return
}
)");
  ASSERT_EQ(fusions.size(), 1u);
  constexpr int64_t sums = 3 * 3 * 128 * 256 * 4;
  EXPECT_EQ(bytesOf(fusions[0], 6) - bytesOf(fusions[0], 1), sums);
  EXPECT_EQ(bytesOf(fusions[0], 3), bytesOf(fusions[0], 6));
}

} // namespace
} // namespace systole
