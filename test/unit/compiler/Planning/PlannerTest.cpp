// Plans, their memory, and their form as attributes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Planner.h"

#include "dialects/Machine/Target/Target.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

namespace systole {
namespace {

struct PlannerTest : PlanningTest {
  /// A fusion named `name` that adds its two operands, of 8 MiB each.
  static std::string sum(std::string name, std::string first, std::string second) {
    std::string type = "tensor<4096x512xf32>";
    return "func.func @" + name + "(%x: " + type + ", %y: " + type + ") {\n  %r = kernel.fusion " +
           "\"loop\" (%a = %x, %b = %y) : (" + type + ", " + type + ") -> " + type +
           " {\n    %s = stablehlo.add " + first + ", " + second + " : " + type +
           "\n    kernel.fused %s : " + type + "\n  }\n  return\n}\n";
  }

  Planner planner{PlanningContext(*Target::load("v3"))};
};

TEST_F(PlannerTest, KnowsTheMachineFromItsDescription) {
  // 16 MiB of VMEM but for 512 rows of spills, 16 KiB of SMEM.
  EXPECT_EQ(planner.machine().vmemBytes, (16 << 20) - 512 * 512);
  EXPECT_EQ(planner.machine().smemWords, 4096);
}

TEST_F(PlannerTest, PlansEqualGroupsOnce) {
  auto fusions = parse(sum("f", "%a", "%b") + sum("g", "%b", "%a") + sum("h", "%a", "%a"));
  ASSERT_EQ(fusions.size(), 3u);
  std::optional<Plan> first = planner.plan(operationsOf(fusions[0]));
  ASSERT_TRUE(first);
  EXPECT_EQ(planner.searches(), 1u);
  std::optional<Plan> second = planner.plan(operationsOf(fusions[1]));
  ASSERT_TRUE(second);
  EXPECT_EQ(planner.searches(), 1u);
  EXPECT_EQ(second->steps, first->steps);
  planner.plan(operationsOf(fusions[2]));
  EXPECT_EQ(planner.searches(), 2u);
}

TEST_F(PlannerTest, BlockingIsOfTheValuesOfEachGroup) {
  auto fusions = parse(sum("f", "%a", "%b") + sum("g", "%b", "%a"));
  Plan plan = *planner.plan(operationsOf(fusions[0]));
  ASSERT_EQ(plan.axes.size(), 1u);
  for (kernel::FusionOp fusion : fusions) {
    Blocking blocking = Planner::blockingOf(operationsOf(fusion), plan);
    ASSERT_EQ(blocking.cuts.size(), 1u);
    EXPECT_EQ(blocking.steps(), plan.steps);
    for (mlir::Value argument : fusion.getBody().getArguments())
      EXPECT_EQ(blocking.blockShape(argument)[0], plan.axes[0].tile);
  }
}

TEST_F(PlannerTest, MoreVmemOnlyWhereItIsAskedFor) {
  // Whole rows of one dimension cannot be divided: three of 6 MiB.
  auto fusions = parse(R"(
    func.func @f(%x: tensor<1x1x1572864xf32>) {
      %r = kernel.fusion "loop" (%a = %x) : (tensor<1x1x1572864xf32>) -> tensor<1x1x1572864xf32> {
        %s = stablehlo.reverse %a, dims = [2] : tensor<1x1x1572864xf32>
        %t = stablehlo.reverse %s, dims = [2] : tensor<1x1x1572864xf32>
        kernel.fused %t : tensor<1x1x1572864xf32>
      }
      return
    })");
  ASSERT_EQ(fusions.size(), 1u);
  EXPECT_FALSE(planner.plan(operationsOf(fusions[0]), VmemUse::Shared));
  EXPECT_TRUE(planner.plan(operationsOf(fusions[0]), VmemUse::Most));
}

TEST_F(PlannerTest, AttributesSayWhatPlansSay) {
  auto fusions = parse(sum("f", "%a", "%b"));
  ASSERT_TRUE(planner.planFusion(fusions[0]));
  kernel::PlanAttr attribute = *fusions[0].getPlan();
  mlir::FailureOr<Blocking> blocking = blockingOf(fusions[0]);
  ASSERT_TRUE(mlir::succeeded(blocking));
  EXPECT_GT(attribute.getEstimate(), 0);
  EXPECT_EQ(toAttribute(*blocking, fusions[0], double(attribute.getEstimate())), attribute);
  // Two blocks of each operand, since all of them change.
  EXPECT_EQ(attribute.getBuffers(), llvm::ArrayRef<int64_t>({2, 2, 2}));
  EXPECT_TRUE(mlir::succeeded(verifyPlan(fusions[0], planner.machine())));
}

TEST_F(PlannerTest, OneBufferTakesHalfOfTwo) {
  auto fusions = parse(sum("f", "%a", "%b"));
  mlir::MLIRContext *c = &context;
  // Blocks of 4 MiB of each of three arrays: 12 MiB at once, 24 MiB twice.
  auto axis = kernel::AxisAttr::get(c, 2, 0, 2048);
  fusions[0].setPlanAttr(kernel::PlanAttr::get(c, {axis}, {1, 1, 1}, {}, 0));
  EXPECT_TRUE(mlir::succeeded(verifyPlan(fusions[0], planner.machine())));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      c, [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  fusions[0].setPlanAttr(kernel::PlanAttr::get(c, {axis}, {2, 2, 2}, {}, 0));
  EXPECT_TRUE(mlir::failed(verifyPlan(fusions[0], planner.machine())));
  EXPECT_NE(message.find("take 25165824 bytes of VMEM"), std::string::npos) << message;
}

} // namespace
} // namespace systole
