// Cancellation of a compilation at every poll.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/CompileProgress.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

// A loop, so that fusion visits nested blocks, and two users of one tensor, which are merged.
constexpr const char *kSource = R"(
module @step {
  func.func @main(%x: tensor<256x512xf32>) -> (tensor<512xf32>, tensor<256xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<256x512xf32>, tensor<f32>) -> tensor<512xf32>
    %rows = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<256x512xf32>, tensor<f32>) -> tensor<256xf32>
    %sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %half = stablehlo.while(%s = %sum) : tensor<f32>
      cond {
        %one = stablehlo.constant dense<1.0> : tensor<f32>
        %0 = stablehlo.compare GT, %s, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
      } do {
        %factor = stablehlo.constant dense<0.5> : tensor<f32>
        %0 = stablehlo.multiply %s, %factor : tensor<f32>
        stablehlo.return %0 : tensor<f32>
      }
    return %columns, %rows, %half : tensor<512xf32>, tensor<256xf32>, tensor<f32>
  }
})";

TEST(Cancellation, EndsACompilationWhereverItAsks) {
  const Target target = *Target::load("v3");
  int64_t questions = 0;
  CompileProgress progress;
  CompileOptions options;
  options.progress = &progress;
  options.isCancelled = [&] { return ++questions < 0; };
  absl::StatusOr<Program> whole = compile(kSource, "step.mlir", target, options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(progress.toString(), "@step, scheduling");
  // Several per pass, operation and routine.
  const int64_t all = questions;
  EXPECT_GT(all, 60);
  for (int64_t allowed = 0; allowed < all; ++allowed) {
    questions = 0;
    options.isCancelled = [&] { return ++questions > allowed; };
    absl::StatusOr<Program> program = compile(kSource, "step.mlir", target, options);
    ASSERT_EQ(program.status().code(), absl::StatusCode::kCancelled) << allowed;
    EXPECT_EQ(program.status().message(), "the compilation was cancelled");
  }
}

TEST(Cancellation, NamesWhatIsKnown) {
  CompileProgress progress;
  EXPECT_EQ(progress.toString(), "");
  progress.setPass("systole-fuse");
  EXPECT_EQ(progress.toString(), "systole-fuse");
  progress.setModule("jit_step");
  EXPECT_EQ(progress.toString(), "@jit_step, systole-fuse");
}

} // namespace
} // namespace systole
