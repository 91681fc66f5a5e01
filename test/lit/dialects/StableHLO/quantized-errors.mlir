// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %systole-opt %s --split-input-file --verify-diagnostics

// Breaks: uniform_quantize C2
func.func @numbers(%x: tensor<4xbf16>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{'stablehlo.uniform_quantize' op requires numbers of one type, but those of the operand are 'bf16' and those of the result 'f32'}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xbf16>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

// Breaks: uniform_dequantize C2
func.func @result(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xbf16> {
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op requires a result of type 'tensor<4xf32>', but it is 'tensor<4xbf16>'}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Breaks: uniform_quantize C1
func.func @shape(%x: tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.5>>
}

// -----

// Breaks: add C2
func.func @mixed(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Breaks: add C3
func.func @bad(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<4x!quant.uniform<i16:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.add' op requires one storage type for operands and result}}
  %0 = stablehlo.add %x, %y : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<4x!quant.uniform<i16:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: add C4
func.func @bad(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<4x!quant.uniform<i8:bf16, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.add' op requires one expressed type for operands and result}}
  %0 = stablehlo.add %x, %y : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<4x!quant.uniform<i8:bf16, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: add C5
func.func @bad(%x: tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.add' op requires a result with a scale for each index of a dimension if and only if an operand is such}}
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: add C5
func.func @bad(%x: tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.add' op requires a result with a scale for each index of a dimension if and only if an operand is such}}
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: add C6
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.add' op requires a result that is quantized along the dimension of operand #0, 0}}
  %0 = stablehlo.add %x, %y : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// Breaks: add C7
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.add' op requires a result that is quantized along the dimension of operand #1, 0}}
  %0 = stablehlo.add %x, %y : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// Breaks: broadcast_in_dim C6
func.func @bad(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op requires a result that is quantized along dimension 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: broadcast_in_dim C6
func.func @bad(%x: tensor<1x!quant.uniform<i8:f32:0, {1.0}>>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op requires the operand's one scale and zero point for the whole result}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {1.0}>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: broadcast_in_dim C1
func.func @bad(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op requires the same element type for operand and result}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:1>>
  return
}

// -----

// Breaks: reshape C3
func.func @bad(%x: tensor<2x4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.reshape' op cannot reshape across the dimension with scales, from 'tensor<2x4x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>' to 'tensor<4x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %0 = stablehlo.reshape %x : (tensor<2x4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// Breaks: reshape C1
func.func @bad(%x: tensor<2x4x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.reshape' op requires the same element type for operand and result}}
  %0 = stablehlo.reshape %x : (tensor<2x4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:1>>
  return
}

// -----

// Breaks: transpose C4
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.transpose' op requires a result of type 'tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: uniform_dequantize C1
func.func @bad(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.uniform_dequantize' op requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<5xf32>
  return
}

// -----

// Breaks: dot_general C14
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires a quantized rhs, and both lhs and result quantized or none of them}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2xf32>
  return
}

// -----

// Breaks: dot_general C14
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires a quantized rhs, and both lhs and result quantized or none of them}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dot_general C15
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires zero points of 0 for rhs, but it is 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:3>>'}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dot_general C16
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op cannot contract dimension 0 of rhs, along which it is quantized}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dot_general C17
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i4:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires one storage type for lhs and rhs}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i4:f32, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dot_general C18
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:bf16, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires one expressed type}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:bf16, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dot_general C19
func.func @bad(%x: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires a result with one scale if rhs has one}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {1.0, 2.0}>>
  return
}

// -----

// Breaks: dot_general C20
func.func @bad(%x: tensor<2x2xbf16>, %y: tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.dot_general' op requires lhs and result of the type that rhs expresses}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xbf16>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2xf32>
  return
}

// -----

// Breaks: convolution C28
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires a quantized rhs, and both lhs and result quantized or none of them}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x7x2xf32>
  return
}

// -----

// Breaks: convolution C29
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires rhs to be quantized along kernel_output_feature_dimension, 2, if along a dimension, but it is along 0}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>) -> tensor<2x7x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: convolution C30
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires the result to be quantized along output_feature_dimension, 2, if along a dimension, but it is along 0}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) -> tensor<2x7x2x!quant.uniform<i32:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: convolution C31
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i4:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires one storage type for lhs and rhs}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i4:f32, 5.000000e-01>>) -> tensor<2x7x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: convolution C32
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i8:bf16, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires one expressed type}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:bf16, 5.000000e-01>>) -> tensor<2x7x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: convolution C33
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires a result with one scale if rhs has one}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x7x2x!quant.uniform<i32:f32:2, {1.0, 2.0}>>
  return
}

// -----

// Breaks: convolution C34
func.func @bad(%x: tensor<2x9x3xbf16>, %w: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) {
  // expected-error@+1 {{'stablehlo.convolution' op requires lhs and result of the type that rhs expresses}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xbf16>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x7x2xf32>
  return
}
