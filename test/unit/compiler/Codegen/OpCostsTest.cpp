// The table of instructions per operation against the code that is emitted for each.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "compiler/Codegen/Passes.h"
#include "compiler/Model/OpCosts.h"
#include "compiler/Pipeline/Register.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Machine/InstructionSet/Isa.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace systole::test;

namespace systole {
namespace {

std::string text(const Arithmetic &count) {
  return "arithmetic " + std::to_string(count.valu) + ", multiplication " +
         std::to_string(count.multiply) + ", conversion " + std::to_string(count.convert) +
         ", one-pass functions " + std::to_string(count.eup) + ", others " +
         std::to_string(count.eupLong);
}

void add(Arithmetic &count, isa::LatencyClass latency) {
  switch (latency) {
  case isa::LatencyClass::valu:
    ++count.valu;
    break;
  case isa::LatencyClass::valu_mul:
    ++count.multiply;
    break;
  case isa::LatencyClass::valu_convert:
    ++count.convert;
    break;
  case isa::LatencyClass::eup:
    ++count.eup;
    break;
  case isa::LatencyClass::eup_long:
    ++count.eupLong;
    break;
  default:
    break;
  }
}

/// Instructions outside and inside of loops. Constants are not among them: a stage computes them
/// once.
struct Emitted {
  Arithmetic outside, inside;
};
Emitted countInstructions(ModuleOp module) {
  Emitted emitted;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (!name.consume_front("core.") || name == "v.mov" || name == "v.lane" || name == "v.sublane")
      return;
    auto opcode = isa::opcodeFromMnemonic({name.data(), name.size()});
    if (!opcode)
      return;
    const isa::InstInfo &info = isa::info(*opcode);
    if (info.slot == isa::Slot::Vector ||
        (info.slot == isa::Slot::Push && info.unit == isa::Unit::Eup))
      add(op->getParentOfType<scf::ForOp>() ? emitted.inside : emitted.outside, info.latency);
  });
  return emitted;
}

/// Compiles one vector register of `body` on elements of `inputs` and compares.
void expectCost(const std::vector<std::string> &inputs, const std::string &output,
                const std::string &body) {
  const Dims dims{8, 128};
  std::vector<Operand> operands;
  std::vector<std::string> names;
  auto operand = [&](const std::string &role, const std::string &dtype) {
    Array array;
    array.dtype = dtype;
    array.dims = dims;
    names.push_back("%a" + std::to_string(operands.size()));
    operands.push_back({role, array, {}, ""});
  };
  for (const std::string &dtype : inputs)
    operand("in", dtype);
  std::vector<std::string> read = names;
  operand("out", output);
  std::string yielded = "    %y = " + body + "\n    kernel.yield %y : tensor<" + output + ">\n";
  std::string source =
      kernelModule({}, operands, mapStage(dims, read, inputs, names.back(), output, yielded));
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  ASSERT_TRUE(module) << source;
  OpCost expected;
  module->walk(
      [&](kernel::YieldOp yield) { expected = opCost(yield.getOperand(0).getDefiningOp()); });
  PassManager passes(&context);
  passes.addPass(createCodegen(v3(), /*excessPrecision=*/false));
  ASSERT_TRUE(succeeded(passes.run(*module))) << source;
  Emitted emitted = countInstructions(*module);
  // Predicates take an instruction each on their way from and to memory.
  Arithmetic outside = expected.all;
  outside.valu += llvm::count(inputs, "i1") + (output == "i1");
  EXPECT_EQ(text(emitted.outside), text(outside)) << body;
  EXPECT_EQ(text(emitted.inside), text(expected.loop)) << body;
  for (auto [chain, all] :
       {std::pair(expected.chain, expected.all), {expected.loopChain, expected.loop}})
    EXPECT_TRUE(chain.valu <= all.valu && chain.multiply <= all.multiply &&
                chain.convert <= all.convert && chain.eup <= all.eup &&
                chain.eupLong <= all.eupLong)
        << body << ": a chain is a part of all instructions";
  EXPECT_EQ(expected.trips > 0, expected.loop.vector() > 0) << body;
}

void expectUnary(const std::string &name, const std::string &dtype) {
  expectCost({dtype}, dtype, "stablehlo." + name + " %x0 : tensor<" + dtype + ">");
}
void expectBinary(const std::string &name, const std::string &dtype) {
  expectCost({dtype, dtype}, dtype, "stablehlo." + name + " %x0, %x1 : tensor<" + dtype + ">");
}

const std::vector<std::string> kFloats{"f32", "bf16", "f16"};
const std::vector<std::string> kIntegers{"i32", "ui32", "i16", "ui16", "i8", "ui8"};

TEST(OpCosts, AgreeWithCodeOnFloats) {
  for (const std::string &dtype : kFloats) {
    for (const char *name :
         {"abs", "negate", "sign", "ceil", "floor", "round_nearest_even", "round_nearest_afz",
          "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "tan",
          "sine", "cosine", "sqrt", "rsqrt", "cbrt"})
      expectUnary(name, dtype);
    for (const char *name : {"add", "subtract", "multiply", "divide", "remainder", "maximum",
                             "minimum", "power", "atan2"})
      expectBinary(name, dtype);
  }
}

TEST(OpCosts, AgreeWithCodeOnIntegers) {
  for (const std::string &dtype : kIntegers) {
    for (const char *name : {"abs", "negate", "sign"})
      if (dtype[0] == 'i')
        expectUnary(name, dtype);
    for (const char *name : {"not", "popcnt", "count_leading_zeros"})
      expectUnary(name, dtype);
    for (const char *name :
         {"add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum",
          "and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"})
      expectBinary(name, dtype);
  }
}

TEST(OpCosts, AgreeWithCodeOnPredicates) {
  for (const char *name : {"and", "or", "xor"})
    expectBinary(name, "i1");
  expectUnary("not", "i1");
}

TEST(OpCosts, AgreeWithCodeOfSelections) {
  for (const std::string dtype : {"f32", "bf16", "i32", "i8", "i1"}) {
    std::string type = "tensor<" + dtype + ">";
    expectCost({"i1", dtype, dtype}, dtype, "stablehlo.select %x0, %x1, %x2 : tensor<i1>, " + type);
    expectCost({dtype, dtype, dtype}, dtype, "stablehlo.clamp %x0, %x1, %x2 : " + type);
  }
}

TEST(OpCosts, AgreeWithCodeOfComparisons) {
  for (const std::string dtype : {"f32", "bf16", "i32", "ui32", "i8", "i1"})
    for (const char *direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      std::string types = "(tensor<" + dtype + ">, tensor<" + dtype + ">) -> tensor<i1>";
      expectCost({dtype, dtype}, "i1",
                 std::string("stablehlo.compare ") + direction + ", %x0, %x1 : " + types);
      if (dtype == "f32")
        expectCost({dtype, dtype}, "i1",
                   std::string("stablehlo.compare ") + direction +
                       ", %x0, %x1, TOTALORDER : " + types);
    }
}

TEST(OpCosts, AgreeWithCodeOfConversions) {
  const std::vector<std::string> all{"f32", "bf16", "f16", "i32", "ui32",
                                     "i16", "ui16", "i8",  "ui8", "i1"};
  for (const std::string &from : all)
    for (const std::string &to : all) {
      std::string types = "(tensor<" + from + ">) -> tensor<" + to + ">";
      if (from != to)
        expectCost({from}, to, "stablehlo.convert %x0 : " + types);
    }
  for (const auto &[from, to] : {std::pair("f32", "i32"),
                                 {"i32", "f32"},
                                 {"bf16", "ui16"},
                                 {"ui16", "bf16"},
                                 {"f16", "i16"},
                                 {"i16", "f16"},
                                 {"bf16", "f16"},
                                 {"i8", "ui8"}})
    expectCost({from}, to,
               std::string("stablehlo.bitcast_convert %x0 : (tensor<") + from + ">) -> tensor<" +
                   to + ">");
}

} // namespace
} // namespace systole
