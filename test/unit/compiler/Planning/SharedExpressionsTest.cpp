// Expressions that are computed once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/SharedExpressions.h"

#include "test/unit/compiler/Planning/PlanningTest.h"

#include "gmock/gmock.h"

using namespace mlir;

namespace systole {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using SharedExpressionsTest = PlanningTest;

/// The operations that one stage computes for all others.
std::vector<std::string> sharedNames(ArrayRef<Operation *> ops) {
  auto shared = sharedExpressions(ops, [](Value value) {
    return llvm::any_of(value.getUsers(),
                        [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
  });
  std::vector<std::string> names;
  for (Operation *op : ops)
    if (shared.contains(op->getResult(0)))
      names.push_back(op->getName().stripDialect().str());
  return names;
}

std::string chosen(int shifts, std::string results, std::string types) {
  std::string body = "    %v0 = stablehlo.bitcast_convert %a : (tensor<64x128xf32>) -> "
                     "tensor<64x128xi32>\n";
  for (int i = 0; i < shifts; ++i)
    body += "    %v" + std::to_string(i + 1) + " = stablehlo.xor %v" + std::to_string(i) + ", %v" +
            std::to_string(i) + " : tensor<64x128xi32>\n";
  body += "    %k = stablehlo.compare EQ, %v" + std::to_string(shifts) +
          ", %v0, SIGNED : (tensor<64x128xi32>, tensor<64x128xi32>) -> tensor<64x128xi1>\n";
  return "func.func @f(%x: tensor<64x128xf32>) {\n  %0:2 = kernel.fusion \"reduce\" (%a = %x) : "
         "(tensor<64x128xf32>) -> (" +
         types + ") {\n" + body + R"(
    %z = stablehlo.constant dense<0.0> : tensor<64x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.select %k, %a, %z : tensor<64x128xi1>, tensor<64x128xf32>
    %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
    kernel.fused )" +
         results + " : " + types + "\n  }\n  return\n}\n";
}

TEST_F(SharedExpressionsTest, LongOnesThatLeaveAreComputedOnce) {
  auto fusions = parse(chosen(20, "%k, %r", "tensor<64x128xi1>, tensor<64xf32>"));
  EXPECT_THAT(sharedNames(operationsOf(fusions.front())), ElementsAre("compare"));
}

TEST_F(SharedExpressionsTest, ShortOnesAreRepeated) {
  auto fusions = parse(chosen(2, "%k, %r", "tensor<64x128xi1>, tensor<64xf32>"));
  EXPECT_THAT(sharedNames(operationsOf(fusions.front())), IsEmpty());
}

TEST_F(SharedExpressionsTest, ThoseOfOneStageStayInIt) {
  auto fusions = parse(chosen(20, "%r, %r", "tensor<64xf32>, tensor<64xf32>"));
  EXPECT_THAT(sharedNames(operationsOf(fusions.front())), IsEmpty());
}

} // namespace
} // namespace systole
