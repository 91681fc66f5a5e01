// Programs that a verifier refuses: compiled again without optimizations across kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "gmock/gmock.h"

namespace systole {
namespace {

// Two products, of which the first one's result stays in VMEM for the second.
constexpr const char *kSource = R"(
func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
})";

bool keepsArrays(const Program &program) {
  const auto &regions = program.header.regions();
  return std::any_of(regions.begin(), regions.end(),
                     [](const program::Region &region) { return region.name() == "kept"; });
}

TEST(Refusal, LeavesOutOptimizationsAcrossKernels) {
  const Target target = *Target::load("v3");
  CompileOptions options;
  absl::StatusOr<Program> whole = compile(kSource, "p.mlir", target, options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->header.verifier_refusal(), "");
  EXPECT_TRUE(keepsArrays(*whole));

  options.verifier = [](const Program &program) {
    return keepsArrays(program) ? absl::InternalError("an array stays") : absl::OkStatus();
  };
  absl::StatusOr<Program> again = compile(kSource, "p.mlir", target, options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->header.verifier_refusal(), "an array stays");
  EXPECT_FALSE(keepsArrays(*again));

  options.crossKernel = false;
  absl::StatusOr<Program> without = compile(kSource, "p.mlir", target, options);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->header.verifier_refusal(), "");
  EXPECT_EQ(without->code, again->code);
}

TEST(Refusal, IsAnErrorIfThereIsNothingToLeaveOut) {
  const Target target = *Target::load("v3");
  CompileOptions options;
  int programs = 0;
  options.verifier = [&](const Program &) {
    ++programs;
    return absl::InternalError("wrong");
  };
  absl::Status status = compile(kSource, "p.mlir", target, options).status();
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_EQ(status.message(), "wrong");
  EXPECT_EQ(programs, 2);
  // Other errors are no refusals.
  options.verifier = [&](const Program &) {
    ++programs;
    return absl::InvalidArgumentError("no");
  };
  EXPECT_TRUE(absl::IsInvalidArgument(compile(kSource, "p.mlir", target, options).status()));
  EXPECT_EQ(programs, 3);
}

// Errors of operations' verifiers on IR that passes have made are faults of the compiler.
TEST(Refusal, KnowsTheErrorsOfOperations) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect>();
  std::vector<bool> found;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    found.push_back(isOperationError(diagnostic));
    return mlir::success();
  });
  mlir::OpBuilder b(&context);
  auto function = mlir::func::FuncOp::create(b.getUnknownLoc(), "f", b.getFunctionType({}, {}));
  function.emitOpError("expects a body");
  function.emitError("expects a body");
  function.emitError("operation 'sort' op");
  function.emitError("'sort of rows' op expects a body");
  function->erase();
  EXPECT_EQ(found, (std::vector<bool>{true, false, false, false}));
}

} // namespace
} // namespace systole
