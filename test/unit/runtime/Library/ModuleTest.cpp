// Compilation of modules that the caller has built.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "systole/mlir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace systole {
namespace {

using testing::HasSubstr;

class ModuleTest : public testing::Test {
protected:
  ModuleTest() {
    context.loadDialect<mlir::func::FuncDialect>();
    // Any dialect whose text is StableHLO's will do, here none.
    context.allowUnregisteredDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context, "built.mlir");
  }

  mlir::MLIRContext context;
};

TEST_F(ModuleTest, Compiles) {
  auto module = parse("module @negate { func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {"
                      "  %0 = \"stablehlo.negate\"(%x) : (tensor<3xf32>) -> tensor<3xf32>"
                      "  return %0 : tensor<3xf32> } }");
  ASSERT_TRUE(module);
  absl::StatusOr<Executable> program = compile(*Device::create(), *module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->name(), "negate");
  EXPECT_EQ(program->signature().results.size(), 1u);
}

TEST_F(ModuleTest, ErrorsAreAtTheModulesLocations) {
  auto module = parse("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {"
                      "  %0 = \"stablehlo.custom_call\"(%x) {call_target_name = \"fly\"}"
                      "    : (tensor<3xf32>) -> tensor<3xf32> loc(\"model.py\":7:9)"
                      "  return %0 : tensor<3xf32> }");
  ASSERT_TRUE(module);
  EXPECT_THAT(std::string(compile(*Device::create(), *module).status().message()),
              HasSubstr("model.py:7:9: error: "));
}

} // namespace
} // namespace systole
