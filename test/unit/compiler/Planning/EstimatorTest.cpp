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

struct EstimatorTest : PlanningTest {};

// What an estimator keeps of one blocking must not show in the estimate of another, nor when the
// first one comes again.
TEST_F(EstimatorTest, DoesNotDependOnTheBlockingsBefore) {
  auto fusions = parse(R"(
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
  ASSERT_EQ(fusions.size(), 1u);
  MachineModel model(*Target::load("v3"));
  llvm::SmallVector<mlir::Operation *> ops = operationsOf(fusions[0]);
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

} // namespace
} // namespace systole
