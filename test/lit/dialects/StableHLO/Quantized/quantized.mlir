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
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00:-1}>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00:-1}>>
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8<-127:127>:f32, 2.000000e-01:4>>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>
func.func @parameters(%x: tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, %y: tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00:-1}>>, %z: tensor<2x!quant.uniform<i8<-127:127>:f32, 2.000000e-01:4>>) {
  %0 = stablehlo.add %x, %y : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00:-1}>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00:-1}>>
  %1 = stablehlo.add %x, %z : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8<-127:127>:f32, 2.000000e-01:4>>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>
  return
}

// The dimension with scales moves along.
// CHECK-LABEL: func.func @moved
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<4x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<1x!quant.uniform<i8:f32:0, {1.000000e+00}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {1.000000e+00,1.000000e+00}>>
// CHECK: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>, tensor<3xi32>) -> tensor<?x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [1, 2] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>, tensor<3xi32>) -> tensor<?x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
func.func @moved(%x: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>, %y: tensor<1x!quant.uniform<i8:f32:0, {1.000000e+00}>>, %s: tensor<3xi32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  %1 = stablehlo.reshape %x : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>) -> tensor<4x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  %3 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<1x!quant.uniform<i8:f32:0, {1.000000e+00}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {1.000000e+00,1.000000e+00}>>
  %4 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>, tensor<3xi32>) -> tensor<?x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  %5 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>, tensor<3xi32>) -> tensor<?x2x3x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  return
}

// Of a product all, or the right factor alone, are quantized; a reduction may widen what it stores.
// CHECK-LABEL: func.func @sums
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0] : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<!quant.uniform<i32:f32, 1.000000e+00>>
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<f32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<!quant.uniform<i32:f32, 1.000000e+00>>
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<2xi1>
func.func @sums(%x: tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, %f: tensor<2xf32>, %s: tensor<!quant.uniform<i8:f32, 1.000000e-01>>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<!quant.uniform<i32:f32, 1.000000e+00>>
  %1 = stablehlo.dot_general %f, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<!quant.uniform<i32:f32, 1.000000e+00>>
   reducer(%a: tensor<!quant.uniform<i32:f32, 1.000000e+00>>, %b: tensor<!quant.uniform<i32:f32, 1.000000e+00>>) {
    %4 = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 1.000000e+00>>
    stablehlo.return %4 : tensor<!quant.uniform<i32:f32, 1.000000e+00>>
  }
  %3 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @iota
// CHECK: stablehlo.iota dim = 0 : tensor<4x!quant.uniform<i8:f32, 1.000000e-01>>
func.func @iota() -> tensor<4x!quant.uniform<i8:f32, 1.000000e-01>> {
  %0 = stablehlo.iota dim = 0 : tensor<4x!quant.uniform<i8:f32, 1.000000e-01>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 1.000000e-01>>
}

// The integers that store a quantized type have another type than the result.
// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK: stablehlo.constant() <{value = dense<255> : tensor<2xui8>}> : () -> tensor<2x!quant.uniform<u8:f32:0, {5.000000e-01,1.000000e+00}>>
  %1 = "stablehlo.constant"() <{value = dense<255> : tensor<2xui8>}> : () -> tensor<2x!quant.uniform<u8:f32:0, {0.5, 1.0}>>
  // CHECK: stablehlo.constant() <{value = dense<7> : tensor<i4>}> {mhlo.note = "kept"} : () -> tensor<!quant.uniform<i4:f32, 5.000000e-01>>
  %2 = stablehlo.constant() <{value = dense<7> : tensor<i4>}> {mhlo.note = "kept"} : () -> tensor<!quant.uniform<i4:f32, 0.5>>
  return
}

// CHECK-LABEL: func.func @batch_norm
// CHECK: "stablehlo.batch_norm_inference"(%{{.*}}) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>,
func.func @batch_norm(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %x, %x, %x, %x) <{epsilon = 0.001 : f32, feature_index = 0 : i64}> : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// CHECK-LABEL: func.func @opaque
// CHECK: stablehlo.custom_call @Sharding(%{{.*}}) : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
func.func @opaque(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
