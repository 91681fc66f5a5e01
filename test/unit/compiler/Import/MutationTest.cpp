// A thousand damaged artifacts: each is rejected with one diagnostic, or is another valid program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"
#include "compiler/Import/ReadArtifact.h"
#include "compiler/Import/WriteArtifact.h"
#include "compiler/Pipeline/Register.h"
#include "test/unit/compiler/Import/DamagedBytes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;

namespace systole {
namespace {

constexpr const char *kProgram = R"(
func.func public @main(%x: tensor<4x8xf32> {jax.buffer_donor = true}, %w: tensor<8x2xbf16>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32> loc("net.py":3:5)
  %mask = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
  %0 = stablehlo.convert %w : (tensor<8x2xbf16>) -> tensor<8x2xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc(callsite("net.py":3:5 at "main.py":1:1))
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.pad %2, %zero, low = [1], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  %4 = stablehlo.slice %3 [0:4] : (tensor<5xf32>) -> tensor<4xf32>
  %5:2 = stablehlo.while(%i = %4, %n = %zero) : tensor<4xf32>, tensor<f32>
    cond {
      %7 = stablehlo.compare LT, %n, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = stablehlo.tanh %i : tensor<4xf32>
      stablehlo.return %7, %n : tensor<4xf32>, tensor<f32>
    }
  %6 = stablehlo.select %mask, %5#0, %4 : tensor<4xi1>, tensor<4xf32>
  return %6 : tensor<4xf32>
}
)";

class Mutation : public testing::Test {
protected:
  void SetUp() override {
    registerAllDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    auto module = parseSourceString<ModuleOp>(kProgram, &context);
    ASSERT_TRUE(module);
    llvm::raw_string_ostream stream(artifact);
    ASSERT_TRUE(succeeded(writeArtifact(*module, "1.9", stream)));
  }

  /// Whether the bytes are a program; if not, there is one diagnostic.
  bool accepts(const std::string &bytes) {
    // A context never frees attributes.
    if (!context || ++uses % 100 == 0) {
      context.emplace(registry, MLIRContext::Threading::DISABLED);
      context->printOpOnDiagnostic(false);
    }
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&*context, [&](Diagnostic &) { ++errors; });
    OwningOpRef<ModuleOp> module = readArtifact(bytes, "damaged", *context);
    bool accepted = false;
    if (module) {
      PassManager passes(&*context);
      passes.addPass(createVhloToStableHLO());
      passes.addPass(createDropShardings());
      accepted = succeeded(passes.run(*module));
    }
    EXPECT_EQ(errors, accepted ? 0u : 1u) << "use " << uses;
    return accepted;
  }

  DialectRegistry registry;
  std::string artifact;
  std::optional<MLIRContext> context;
  unsigned uses = 0;
};

TEST_F(Mutation, TheProgramItselfIsAccepted) { EXPECT_TRUE(accepts(artifact)); }

TEST_F(Mutation, EveryBeginningIsRefused) {
  for (size_t size = 0; size < artifact.size(); ++size)
    EXPECT_FALSE(accepts(artifact.substr(0, size))) << size;
}

TEST_F(Mutation, FlippedBits) {
  std::mt19937 random(1);
  unsigned refused = 0;
  for (unsigned i = 0; i < 1000; ++i)
    refused += !accepts(test::withFlippedBits(artifact, random));
  // The others change names, line numbers and constants.
  EXPECT_GT(refused, 500u);
}

TEST_F(Mutation, BytesThatAreMissingOrTwice) {
  std::mt19937 random(2);
  for (unsigned i = 0; i < 500; ++i)
    accepts(test::withBytesMissingOrTwice(artifact, i % 2 != 0, random));
}

} // namespace
} // namespace systole
