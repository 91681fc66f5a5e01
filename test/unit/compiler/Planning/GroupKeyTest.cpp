// Which groups of operations have the same plan.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GroupKey.h"

#include "test/unit/compiler/Planning/PlanningTest.h"

namespace systole {
namespace {

struct GroupKeyTest : PlanningTest {
  /// A fusion of two inputs of `type` whose body is `body` and that returns `result`.
  static std::string function(std::string name, std::string body, std::string result = "%s",
                              std::string type = "tensor<64x128xf32>") {
    return "func.func @" + name + "(%x: " + type + ", %y: " + type + ") {\n" +
           "  %r = kernel.fusion \"loop\" (%a = %x, %b = %y) : (" + type + ", " + type + ") -> " +
           type + " {\n" + body + "\n    kernel.fused " + result + " : " + type +
           "\n  }\n  return\n}\n";
  }
  std::vector<std::string> keys(const std::string &text) {
    std::vector<std::string> keys;
    for (kernel::FusionOp fusion : parse(text))
      keys.push_back(groupKey(operationsOf(fusion)));
    return keys;
  }
  static constexpr const char *kSum = "%p = stablehlo.negate %a : tensor<64x128xf32>\n"
                                      "%s = stablehlo.add %p, %b : tensor<64x128xf32>";
};

TEST_F(GroupKeyTest, IgnoresNamesAndTheOrderOfArguments) {
  auto found =
      keys(function("f", kSum) + function("g", "%q = stablehlo.negate %b : tensor<64x128xf32>\n"
                                               "%s = stablehlo.add %q, %a : tensor<64x128xf32>"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(GroupKeyTest, DiffersWithOperandsTypesOperationsAndResults) {
  std::string wide = kSum;
  for (size_t at; (at = wide.find("f32")) != std::string::npos;)
    wide.replace(at, 3, "i32");
  auto found = keys(function("f", kSum) +
                    function("same_operand", "%p = stablehlo.negate %a : tensor<64x128xf32>\n"
                                             "%s = stablehlo.add %p, %a : tensor<64x128xf32>") +
                    function("operation", "%p = stablehlo.negate %a : tensor<64x128xf32>\n"
                                          "%s = stablehlo.multiply %p, %b : tensor<64x128xf32>") +
                    function("type", wide, "%s", "tensor<64x128xi32>") +
                    // The first operation's result leaves the group, not that of the second.
                    function("result", kSum, "%p"));
  ASSERT_EQ(found.size(), 5u);
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = i + 1; j < found.size(); ++j)
      EXPECT_NE(found[i], found[j]) << i << " and " << j;
}

TEST_F(GroupKeyTest, IgnoresValuesOfIntegerConstants) {
  auto sum = [](const char *name, const char *first, const char *second) {
    std::string type = "tensor<64x128xi32>";
    std::string body = "%c = stablehlo.constant dense<" + std::string(first) + "> : " + type +
                       "\n%d = stablehlo.constant dense<" + second + "> : " + type +
                       "\n%p = stablehlo.add %a, %c : " + type +
                       "\n%s = stablehlo.add %p, %d : " + type;
    return function(name, body, "%s", type);
  };
  auto found = keys(sum("f", "1", "2") + sum("g", "5", "7") + sum("equal", "3", "3") +
                    sum("zero", "0", "2"));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
  EXPECT_NE(found[0], found[3]);
}

TEST_F(GroupKeyTest, DiffersWithAttributesAndRegions) {
  auto reduction = [](const char *combiner, const char *dimension) {
    return std::string("func.func @f_") + combiner + dimension +
           "(%x: tensor<64x64xf32>, %z: tensor<f32>) {\n"
           "  %r = kernel.fusion \"reduce\" (%a = %x, %b = %z) : (tensor<64x64xf32>, "
           "tensor<f32>) -> tensor<64xf32> {\n"
           "    %s = stablehlo.reduce(%a init: %b) applies stablehlo." +
           combiner + " across dimensions = [" + dimension +
           "] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>\n"
           "    kernel.fused %s : tensor<64xf32>\n  }\n  return\n}\n";
  };
  auto found = keys(reduction("add", "0") + reduction("add", "1") + reduction("maximum", "0"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
}

} // namespace
} // namespace systole
