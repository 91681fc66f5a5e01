// Arrays whose sizes depend on data are padded to their bounds, and masked where elements are combined.
// RUN: systole-opt %s --split-input-file --systole-inline-calls --systole-refine-shapes --canonicalize --cse | FileCheck %s

// Arguments and results have sizes behind them; elementwise operations mask nothing.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<8x4xf32>, %arg1: tensor<i32> {kernel.dynamic_dim = 0 : i64}, %arg2: tensor<4xf32>)
// CHECK-SAME: -> (tensor<8x4xf32>, tensor<i32> {kernel.dynamic_dim = 0 : i64}, tensor<i32>)
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %y: tensor<4xf32>) -> (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<i32>) {
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add %arg0, %[[B]] : tensor<8x4xf32>
  %s = stablehlo.add %x, %b : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<8x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %n = stablehlo.get_dimension_size %s, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
  // CHECK-NEXT: return %[[S]], %arg1, %arg1
  return %s, %n : tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<i32>
}

// -----

// A sum of rows has the identity of its operation, whatever the initial value is; along them nothing is masked.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %zero: tensor<f32>) -> (tensor<4xf32>, tensor<?xf32, #stablehlo.bounds<8>>) {
  // CHECK-DAG: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<8x4xi32>
  // CHECK-DAG: %[[N:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
  // CHECK-DAG: %[[M:.*]] = stablehlo.compare LT, %[[I]], %[[N]]
  // CHECK: %[[F:.*]] = stablehlo.broadcast_in_dim %[[NONE]], dims = []
  // CHECK: %[[X:.*]] = stablehlo.select %[[M]], %arg0, %[[F]]
  // CHECK: %[[R:.*]] = stablehlo.reduce(%[[X]] init: %arg2) applies stablehlo.add across dimensions = [0]
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[S:.*]] = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.add across dimensions = [1]
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  // CHECK: return %[[R]], %[[S]], %arg1
  return %r, %s : tensor<4xf32>, tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// A product masks both operands along what it sums; what one of them has alone it passes on.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> (tensor<4x4xf32>, tensor<?x?xf32, #stablehlo.bounds<8, 8>>) {
  // CHECK: %[[X:.*]] = stablehlo.select
  // CHECK: stablehlo.dot_general %[[X]], %[[X]], contracting_dims = [0] x [0]
  %r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<4x4xf32>
  // CHECK: %[[S:.*]] = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1]
  %s = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xf32, #stablehlo.bounds<8, 8>>
  // CHECK: return %{{.*}}, %[[S]], %arg1, %arg1
  return %r, %s : tensor<4x4xf32>, tensor<?x?xf32, #stablehlo.bounds<8, 8>>
}

// -----

// A size that is known is one of the shape, without a mask.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> tensor<4xf32>
func.func @main(%x: tensor<8x4xf32>, %zero: tensor<f32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.add %two, %two : tensor<i32>
  // CHECK-NOT: select
  // CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:4, 0:4]
  %y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  // CHECK-NEXT: stablehlo.reduce(%[[X]] init: %arg1)
  %r = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The elements of a reshape that is row-major on both sides stay where they are; others are gathered.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> (tensor<?xf32, #stablehlo.bounds<32>>, tensor<?xf32, #stablehlo.bounds<32>>) {
  // CHECK: stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %r = stablehlo.reshape %x : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?xf32, #stablehlo.bounds<32>>
  // CHECK: %[[T:.*]] = stablehlo.transpose %arg0
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 8>>
  // CHECK: "stablehlo.gather"
  %s = stablehlo.reshape %t : (tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<?xf32, #stablehlo.bounds<32>>
  return %r, %s : tensor<?xf32, #stablehlo.bounds<32>>, tensor<?xf32, #stablehlo.bounds<32>>
}

// -----

// Loops carry sizes, calls are inlined, and a static result is filled with zeros.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %y = func.call @cut(%x, %n) : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: %[[W:.*]]:3 = stablehlo.while(%{{.*}} = %arg1, %{{.*}} = %arg0, %{{.*}} = %{{.*}}) : tensor<i32>, tensor<8xf32>, tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %a = %y) : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  cond {
    %go = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %k = stablehlo.subtract %i, %one : tensor<i32>
    %b = stablehlo.negate %a : tensor<?xf32, #stablehlo.bounds<8>>
    stablehlo.return %k, %b : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  }
  %eight = stablehlo.constant dense<8> : tensor<i32>
  // CHECK: %[[N:.*]] = stablehlo.broadcast_in_dim %[[W]]#2
  // CHECK: %[[M:.*]] = stablehlo.compare LT, %{{.*}}, %[[N]]
  // CHECK: %[[R:.*]] = stablehlo.select %[[M]], %[[W]]#1, %{{.*}}
  %s = stablehlo.set_dimension_size %r#1, %eight, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<8xf32>
  // CHECK: return %[[R]] : tensor<8xf32>
  return %s : tensor<8xf32>
}
func.func private @cut(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %y : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// Bounds that are left out follow from the operands; a size that nothing decides is its bound.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<8xf32>, tensor<i32> {kernel.dynamic_dim = 0 : i64}, tensor<2x5xf32>)
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<f32>) -> (tensor<?xf32>, tensor<2x?xf32, #stablehlo.bounds<?, 5>>) {
  // CHECK: %[[R:.*]] = stablehlo.negate %arg0 : tensor<8xf32>
  %r = stablehlo.negate %x : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32>
  // CHECK: %[[S:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
  %s = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>>
  // CHECK: return %[[R]], %arg1, %[[S]]
  return %r, %s : tensor<?xf32>, tensor<2x?xf32, #stablehlo.bounds<?, 5>>
}

// -----

// Sizes of arrays in the memory of the host stay on the device.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32> {
  // CHECK: %[[H:.*]] = stablehlo.custom_call @annotate_device_placement(%arg0) {{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %h = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32>
  // CHECK: %[[D:.*]] = stablehlo.custom_call @annotate_device_placement(%[[H]])
  %d = stablehlo.custom_call @annotate_device_placement(%h) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: return %[[D]], %arg1
  return %d : tensor<?xf32>
}

// -----

// The elements under the taps of a window of such a size become features, of which those behind the size are zero.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<1x8x2xf32>, %k: tensor<?x2x4xf32, #stablehlo.bounds<3, ?, ?>>) -> tensor<1x?x4xf32> {
  // CHECK: %[[T:.*]] = stablehlo.concatenate %{{.*}}, %{{.*}}, %{{.*}}, dim = 3
  // CHECK: %[[M:.*]] = stablehlo.select %{{.*}}, %[[T]], %{{.*}} : tensor<1x9x1x3x2xi1>, tensor<1x9x1x3x2xf32>
  // CHECK: %[[L:.*]] = stablehlo.reshape %[[M]] : (tensor<1x9x1x3x2xf32>) -> tensor<1x9x6xf32>
  // CHECK: %[[K:.*]] = stablehlo.select %{{.*}}, %arg1, %{{.*}} : tensor<3x2x4xi1>, tensor<3x2x4xf32>
  // CHECK: %[[R:.*]] = stablehlo.reshape %[[K]] : (tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  // CHECK: %[[Y:.*]] = stablehlo.convolution(%[[L]], %[[R]]) {{.*}} : (tensor<1x9x6xf32>, tensor<1x6x4xf32>) -> tensor<1x9x4xf32>
  // CHECK: return %[[Y]]
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<?x2x4xf32, #stablehlo.bounds<3, ?, ?>>) -> tensor<1x?x4xf32>
  return %y : tensor<1x?x4xf32>
}

// -----

// The least and the greatest finite number stand for infinities in formats without them.
// CHECK-LABEL: @main
// CHECK-DAG: stablehlo.constant dense<-4.480000e+02> : tensor<f8E4M3FN>
// CHECK-DAG: stablehlo.constant dense<4.480000e+02> : tensor<f8E4M3FN>
func.func @main(%x: tensor<7xf8E4M3FN>, %n: tensor<i32>, %i: tensor<f8E4M3FN>) -> (tensor<f8E4M3FN>, tensor<f8E4M3FN>) {
  %b = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<7xf8E4M3FN>, tensor<i32>) -> tensor<?xf8E4M3FN, #stablehlo.bounds<7>>
  %0 = stablehlo.reduce(%b init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf8E4M3FN, #stablehlo.bounds<7>>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %1 = stablehlo.reduce(%b init: %i) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf8E4M3FN, #stablehlo.bounds<7>>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  return %0, %1 : tensor<f8E4M3FN>, tensor<f8E4M3FN>
}

// -----

// Of a format without a sign the least number is positive: 2^-127.
// CHECK-LABEL: @main
// CHECK: stablehlo.constant dense<5.8774{{[0-9]+}}e-39> : tensor<f8E8M0FNU>
func.func @main(%x: tensor<7xf8E8M0FNU>, %n: tensor<i32>, %i: tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU> {
  %b = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<7xf8E8M0FNU>, tensor<i32>) -> tensor<?xf8E8M0FNU, #stablehlo.bounds<7>>
  %0 = stablehlo.reduce(%b init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf8E8M0FNU, #stablehlo.bounds<7>>, tensor<f8E8M0FNU>) -> tensor<f8E8M0FNU>
  return %0 : tensor<f8E8M0FNU>
}
