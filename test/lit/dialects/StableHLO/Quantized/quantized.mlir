// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %systole-opt %s | FileCheck %s
// RUN: %systole-opt %s | %systole-opt | FileCheck %s
// RUN: %systole-opt %s --systole-stablehlo-to-vhlo | %systole-opt --systole-vhlo-to-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @conversions
// CHECK: stablehlo.uniform_quantize %{{.*}} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK: stablehlo.uniform_dequantize %{{.*}} : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xf32>
func.func @conversions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Each operand and result has parameters of its own.
// CHECK-LABEL: func.func @parameters
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<u8<0:127>:f32, 2.000000e-01:4>>) -> tensor<2x!quant.uniform<i32:f32:0, {1.000000e+00,2.000000e+00:-1}>>
func.func @parameters(%x: tensor<2x!quant.uniform<i8:f32, 0.1>>, %y: tensor<2x!quant.uniform<u8<0:127>:f32, 0.2:4>>)
    -> tensor<2x!quant.uniform<i32:f32:0, {1.0,2.0:-1}>> {
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 0.1>>, tensor<2x!quant.uniform<u8<0:127>:f32, 0.2:4>>)
      -> tensor<2x!quant.uniform<i32:f32:0, {1.0,2.0:-1}>>
  return %0 : tensor<2x!quant.uniform<i32:f32:0, {1.0,2.0:-1}>>
}
