// Estimates of one group that share expressions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineModel.h"
#include "compiler/Planning/Axes.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/PlanAttribute.h"
#include "dialects/Machine/Target/Target.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

namespace systole {
namespace {

struct EstimatorTest : PlanningTest {
  MachineModel model{*Target::load("v3")};

  /// The operations of the one fusion of a module.
  llvm::SmallVector<mlir::Operation *> operations(llvm::StringRef text) {
    auto fusions = parse(text);
    EXPECT_EQ(fusions.size(), 1u);
    return operationsOf(fusions.at(0));
  }
};

// What an estimator keeps of one blocking must not show in the estimate of another, nor when the
// first one comes again.
TEST_F(EstimatorTest, DoesNotDependOnTheBlockingsBefore) {
  llvm::SmallVector<mlir::Operation *> ops = operations(R"(
func.func @f(%x: tensor<512x256xf32>) {
  %r:2 = kernel.fusion "loop" (%a = %x) : (tensor<512x256xf32>)
      -> (tensor<512x256xf32>, tensor<512x256xf32>) {
    %e = stablehlo.exponential %a : tensor<512x256xf32>
    %s = stablehlo.add %e, %a : tensor<512x256xf32>
    %m = stablehlo.multiply %s, %e : tensor<512x256xf32>
    kernel.fused %s, %m : tensor<512x256xf32>, tensor<512x256xf32>
  }
  return
}
)");
  Axes axes(ops);
  Estimator estimator(ops, model, 1);
  llvm::SmallVector<double> cycles;
  for (Cut cut : axes.parallelCuts())
    for (int64_t tile : {cut.size, cut.size / 2, cut.size / 4, cut.size}) {
      Blocking blocking;
      cut.blockSize = tile;
      blocking.cuts.push_back(cut);
      double shared = estimator.of(blocking).cycles;
      EXPECT_EQ(shared, estimateOf(ops, blocking, model, 1).cycles);
      cycles.push_back(shared);
    }
  ASSERT_EQ(cycles.size(), 8u);
  EXPECT_NE(cycles[0], cycles[1]);
  EXPECT_NE(cycles[1], cycles[2]);
  EXPECT_EQ(cycles[0], cycles[3]);
}

// x x^T in three steps: a step has a third of the rows of x on the right, and on the left all of
// them, which are a block of their own.
TEST_F(EstimatorTest, CountsTheCopiesOfAnOperandsOwnBlock) {
  llvm::SmallVector<mlir::Operation *> ops = operations(R"(
func.func @f(%x: tensor<768x512xf32>) {
  %r = kernel.fusion "dot" (%a = %x) : (tensor<768x512xf32>) -> tensor<768x768xf32> {
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<768x512xf32>) -> tensor<512x768xf32>
    %p = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] {kernel.single_pass}
        : (tensor<768x512xf32>, tensor<512x768xf32>) -> tensor<768x768xf32>
    kernel.fused %p : tensor<768x768xf32>
  }
  return
}
)");
  Axes axes(ops);
  std::optional<Cut> cut = axes.cutAlong(ops.back()->getResult(0), 1);
  ASSERT_TRUE(cut);
  cut->blockSize = 256;
  Blocking blocking;
  blocking.cuts.push_back(*cut);
  Estimate estimate = estimateOf(ops, blocking, model, 1);
  constexpr double operand = 768 * 512 * 4, result = 768 * 768 * 4;
  EXPECT_NEAR(estimate.busy[Estimate::hbm] / model.channel(512, (2 * operand + result) / 512), 1,
              0.05);
  // It arrives in pieces.
  ASSERT_EQ(estimate.divided.size(), 1u);
  EXPECT_EQ(estimate.divided[0].operand.ownUse, &ops.back()->getOpOperand(0));
  EXPECT_GT(estimate.divided[0].pieces, 1);
}

} // namespace
} // namespace systole
