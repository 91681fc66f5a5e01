// What is live in a block, counted by hand, and its schedules against all orders of a small graph.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/BlockMemory.h"

#include "test/unit/compiler/Planning/PlanningTest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>
#include <string>

namespace systole {
namespace {

constexpr int64_t kUnit = 8 * 512; // bytes of tensor<8x128xf32>

struct BlockMemoryTest : PlanningTest {
  mlir::Block &parseBlock(llvm::StringRef text) {
    parse(text);
    return module->lookupSymbol<mlir::func::FuncOp>("main").getBody().front();
  }

  /// A fusion that adds its operands, each of `rows` rows, without a plan.
  static std::string fusion(int result, std::vector<std::string> operands, int rows = 8) {
    std::string type = "tensor<" + std::to_string(rows) + "x128xf32>", inputs, types, body;
    std::string sum = "%in0";
    for (size_t i = 0; i < operands.size(); ++i) {
      std::string name = "%in" + std::to_string(i), comma = i ? ", " : "";
      inputs += comma + name + " = " + operands[i];
      types += comma + type;
      if (i == 0)
        continue;
      std::string next = "%sum" + std::to_string(i);
      body += next + " = stablehlo.add " + sum + ", " + name + " : " + type + "\n";
      sum = next;
    }
    return "%" + std::to_string(result) + " = kernel.fusion \"loop\" (" + inputs + ") : (" + types +
           ") -> " + type + " {\n" + body + "kernel.fused " + sum + " : " + type + "\n}\n";
  }

  static bool isLegal(const BlockMemory &memory, const KernelOrder &order) {
    llvm::DenseMap<mlir::Operation *, size_t> place;
    for (auto [i, number] : llvm::enumerate(order))
      place[memory.operations()[number]] = i;
    return order.size() == memory.operations().size() &&
           llvm::all_of(memory.operations(), [&](mlir::Operation *op) {
             return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
               mlir::Operation *producer = operand.getDefiningOp();
               return !producer || place[producer] < place[op];
             });
           });
  }
};

TEST_F(BlockMemoryTest, CountsWhatIsLiveDuringEachOperation) {
  BlockMemory memory(parseBlock("func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {\n" +
                                fusion(0, {"%x"}) + fusion(1, {"%0"}) + fusion(2, {"%0", "%1"}) +
                                fusion(3, {"%2"}) + "return %3 : tensor<8x128xf32>\n}"));
  // The third reads two arrays and writes one. The argument stays, and counts elsewhere.
  EXPECT_EQ(memory.peakBytes({0, 1, 2, 3}), 3 * kUnit);
}

TEST_F(BlockMemoryTest, CountsDonatedArgumentsUntilTheyHaveBeenRead) {
  BlockMemory memory(parseBlock(
      "func.func @main(%x: tensor<8x128xf32> {jax.buffer_donor = true}) -> tensor<8x128xf32> {\n" +
      fusion(0, {"%x"}) + fusion(1, {"%0"}) + "return %1 : tensor<8x128xf32>\n}"));
  EXPECT_EQ(memory.peakBytes({0, 1}), 2 * kUnit);
}

TEST_F(BlockMemoryTest, SchedulesAreLegalAndTheBestIsNoWorseThanTheProgram) {
  std::mt19937 random(3);
  int improved = 0;
  for (int round = 0; round < 60; ++round) {
    constexpr int kCount = 8;
    std::string text = "func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {\n";
    for (int i = 0; i < kCount; ++i) {
      std::vector<std::string> operands = {"%x"};
      for (int j = 0; j < i; ++j)
        if (random() % 3 == 0)
          operands.push_back("%" + std::to_string(j));
      text += fusion(i, operands);
    }
    BlockMemory memory(parseBlock(text + "return %7 : tensor<8x128xf32>\n}"));
    const KernelOrder program = memory.programOrder(), best = memory.bestOrder();
    for (auto from : {BlockMemory::From::Start, BlockMemory::From::End})
      for (auto next : {BlockMemory::Next::Best, BlockMemory::Next::Eager})
        EXPECT_TRUE(isLegal(memory, memory.schedule(from, next))) << text;
    EXPECT_TRUE(isLegal(memory, best));
    EXPECT_LE(memory.peakBytes(best), memory.peakBytes(program));
    improved += memory.peakBytes(best) < memory.peakBytes(program);
    // No order at all is better than the least of all.
    int64_t least = INT64_MAX;
    KernelOrder order = program;
    do
      if (isLegal(memory, order))
        least = std::min(least, memory.peakBytes(order));
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_GE(memory.peakBytes(best), least);
    EXPECT_LE(memory.peakBytes(best), least + 2 * kUnit) << text;
  }
  EXPECT_GT(improved, 20);
}

} // namespace
} // namespace systole
