// Devices, compilation and its errors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "systole/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kScale[] = R"(
module @scale {
  func.func @main(%x: tensor<2x3xf32> {jax.buffer_donor = true}, %by: tensor<f32>) -> tensor<2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.multiply %x, %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
})";

TEST(Device, Targets) {
  EXPECT_THAT(targets(), Contains("v3"));
  EXPECT_EQ(Device::create()->target(), "v3");
  EXPECT_EQ(Device::create({.target = "v2"})->target(), "v2");
  EXPECT_NE(Device::create({.target = "v2"})->targetHash(), Device::create()->targetHash());
  EXPECT_GT(Device::create()->memory().limit, 0);
  EXPECT_EQ(Device::create({.target = "v9"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(Compile, GivesASignature) {
  const Device device = *Device::create();
  absl::StatusOr<Executable> program = compile(device, kScale, {.precision = "highest"});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->name(), "scale");
  EXPECT_EQ(program->precision(), "highest");
  EXPECT_EQ(program->device(), device);
  const Signature &signature = program->signature();
  ASSERT_EQ(signature.arguments.size(), 2u);
  EXPECT_EQ(signature.arguments[0].type.elementType, ElementType::F32);
  EXPECT_THAT(signature.arguments[0].type.dims, ElementsAre(2, 3));
  EXPECT_EQ(signature.arguments[0].type.minorToMajor.size(), 2u);
  EXPECT_TRUE(signature.arguments[0].donated);
  EXPECT_FALSE(signature.arguments[1].donated);
  EXPECT_THAT(signature.arguments[1].type.dims, ElementsAre());
  ASSERT_EQ(signature.results.size(), 1u);
  EXPECT_GT(program->memory().code, 0);
}

TEST(Compile, ErrorsHaveACodeAndAPlace) {
  const Device device = *Device::create();
  absl::Status status = compile(device, "module {\n  nonsense\n}", {.fileName = "m.mlir"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("m.mlir:2:3: error: "));

  status = compile(device,
                   "func.func @main(%x: tensor<4x!quant.uniform<i8:f64, 0.5>>) -> "
                   "tensor<4x!quant.uniform<i8:f64, 0.5>> {\n"
                   "  %0 = stablehlo.add %x, %x : tensor<4x!quant.uniform<i8:f64, 0.5>>\n"
                   "  return %0 : tensor<4x!quant.uniform<i8:f64, 0.5>>\n}",
                   {.fileName = "c.mlir"})
               .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), StartsWith("c.mlir:2:8: error: "));

  EXPECT_EQ(compile(Device(), kScale).status().message(), "the device is empty");
  EXPECT_EQ(compile(device, kScale, {.precision = "double"}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CompileOptions{.precision = "double"}.validate().message(),
            "the precision is 'double'; it can be default, high or highest");
  EXPECT_TRUE(CompileOptions{}.validate().ok());
}

TEST(Compile, CanBeCancelled) {
  const Cancellation cancellation;
  EXPECT_FALSE(cancellation.isCancelled());
  cancellation.cancel();
  EXPECT_TRUE(cancellation.isCancelled());
  EXPECT_EQ(compile(*Device::create(), kScale, {.cancellation = cancellation}).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Compile, ReadsHloToo) {
  constexpr char kHlo[] = "HloModule twice\n\nENTRY main {\n  x = f32[4]{0} parameter(0)\n"
                          "  ROOT sum = f32[4]{0} add(x, x)\n}\n";
  EXPECT_THAT(*toStableHLO(kHlo), HasSubstr("stablehlo.add"));
  EXPECT_EQ(compile(*Device::create(), kHlo)->name(), "twice");
}

TEST(Executable, SerializesAndLoads) {
  const Device device = *Device::create();
  const std::string sysx = *compile(device, kScale)->serialize();
  EXPECT_EQ(Executable::load(device, sysx)->name(), "scale");
  EXPECT_EQ(Executable::load(*Device::create({.target = "v2"}), sysx).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Executable::load(device, sysx.substr(0, sysx.size() / 2)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(compile(device, sysx).status().message()),
              HasSubstr("Executable::load takes it"));
}

} // namespace
} // namespace systole
