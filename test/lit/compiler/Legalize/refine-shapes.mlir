// Shapes follow from those of the arguments, and the sizes that are computed from them are folded.
// RUN: systole-opt %s --split-input-file --systole-inline-calls --systole-refine-shapes="arguments=[[4,6],[6]]" --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<4x6xf32>, %arg1: tensor<6xf32>) -> tensor<2x12xf32>
func.func @main(%x: tensor<?x6xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
  %b = stablehlo.dynamic_broadcast_in_dim %v, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add %arg0, %[[B]] : tensor<4x6xf32>
  %s = stablehlo.add %x, %b : (tensor<?x6xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %half = func.call @half(%n, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %all = stablehlo.multiply %m, %two : tensor<i32>
  %half1 = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %all1 = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %other = stablehlo.concatenate %half1, %all1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[S]] : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %r = stablehlo.dynamic_reshape %s, %other : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: return %[[R]]
  return %r : tensor<?x?xf32>
}
func.func private @half(%n: tensor<i32>, %two: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.divide %n, %two : tensor<i32>
  return %r : tensor<i32>
}

// -----

// Slices, paddings, iotas, and the size of what is cut off.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x?xf32>, %v: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %limits = stablehlo.subtract %shape, %one : tensor<2xi32>
  // CHECK: stablehlo.slice %arg0 [1:3, 1:5] : (tensor<4x6xf32>) -> tensor<2x4xf32>
  %s = stablehlo.real_dynamic_slice %x, %one, %limits, %one : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [4, 6], interior = [1, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<11x17xf32>
  %p = stablehlo.dynamic_pad %x, %none, %zero, %shape, %one : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.iota dim = 0 : tensor<6xi32>
  %i = stablehlo.dynamic_iota %m1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  // CHECK: stablehlo.slice %arg1 [0:4] : (tensor<6xf32>) -> tensor<4xf32>
  %c = stablehlo.set_dimension_size %v, %n, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return %s, %p, %i, %c : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>, tensor<?xf32>
}

// -----

// Loops and branches; a start that is data.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x6xf32>, %v: tensor<?xf32>) -> tensor<?x6xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  // CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<4x6xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<?x6xf32>
  cond {
    // CHECK: stablehlo.compare LT
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    // CHECK: stablehlo.sine %{{.*}} : tensor<4x6xf32>
    %b = stablehlo.sine %a : tensor<?x6xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<?x6xf32>
  }
  %p = stablehlo.compare EQ, %r#0, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: "stablehlo.if"
  // CHECK: (tensor<i1>) -> tensor<4x6xf32>
  %y = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<?x6xf32>
  }, {
    stablehlo.return %r#1 : tensor<?x6xf32>
  }) : (tensor<i1>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// Contractions, convolutions, reductions, windows and CHLO.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x6xf32>, %v: tensor<6xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x6xf32>, tensor<?x4x1xf32>) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<4xf32>
  %d = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<?x6xf32>, tensor<6xf32>) -> tensor<?xf32>
  // CHECK: stablehlo.reduce{{.*}} -> tensor<4xf32>
  %r = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [1] : (tensor<?x6xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: chlo.top_k({{.*}}) : tensor<4x6xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %k:2 = chlo.top_k(%x, k = 3) : tensor<?x6xf32> -> (tensor<?x3xf32>, tensor<?x3xi32>)
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %b = chlo.broadcast_add %x, %v : (tensor<?x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  %shape = stablehlo.constant dense<[4, 6, 1]> : tensor<3xi32>
  %image = stablehlo.dynamic_reshape %x, %shape : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x6x1xf32>
  %filter = stablehlo.constant dense<1.0> : tensor<3x1x1xf32>
  %pad = stablehlo.constant dense<[[0, 0]]> : tensor<1x2xi32>
  // CHECK: stablehlo.convolution{{.*}}pad = {{\[\[}}0, 0]]{{.*}} -> tensor<4x4x1xf32>
  %c = "stablehlo.dynamic_conv"(%image, %filter, %pad) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}> : (tensor<?x6x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<?x4x1xf32>
  return %d, %r, %k#0, %k#1, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x6xf32>, tensor<?x4x1xf32>
}

// -----

// What JAX writes as custom calls. The body is a function.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x6xf32>, %s: tensor<6xf32>) -> tensor<?x6xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %holds = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK-NOT: shape_assertion
  stablehlo.custom_call @shape_assertion(%holds, %n) {api_version = 2 : i32, error_message = "{0} is too small", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.constant dense<1> : tensor<1xi32>
  %zero1 = stablehlo.constant dense<0> : tensor<1xi32>
  %window = stablehlo.concatenate %n1, %one1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.subtract %n1, %one1 : tensor<1xi32>
  %first = stablehlo.concatenate %low, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %first2 = stablehlo.reshape %first : (tensor<2xi32>) -> tensor<1x2xi32>
  %rest = stablehlo.constant dense<0> : tensor<1x2xi32>
  %pad = stablehlo.concatenate %first2, %rest, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  // CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{base_dilations = array<i64: 1, 1>, padding = dense<{{\[\[}}3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
  // CHECK: stablehlo.add
  // CHECK: }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %none, %window, %ones, %ones, %ones, %pad) {called_computations = [@sum]} : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
// CHECK-NOT: func.func
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.add %a, %b : tensor<f32>
  return %r : tensor<f32>
}
