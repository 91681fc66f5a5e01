// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %systole-opt %s --split-input-file --verify-diagnostics

func.func @numbers(%x: tensor<4xbf16>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{'stablehlo.uniform_quantize' op requires numbers of one type, but those of the operand are 'bf16' and those of the result 'f32'}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xbf16>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @result(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xbf16> {
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op requires a result of type 'tensor<4xf32>', but it is 'tensor<4xbf16>'}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

func.func @shape(%x: tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @mixed(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
