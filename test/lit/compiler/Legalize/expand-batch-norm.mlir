// RUN: %systole-opt %s --systole-expand-batch-norm | FileCheck %s

// Narrow elements are computed in f32 and rounded once.
// CHECK-LABEL: @training
// CHECK-SAME: %[[X:.*]]: tensor<4x3x2xbf16>
// CHECK: %[[W:.*]] = stablehlo.convert %[[X]] : (tensor<4x3x2xbf16>) -> tensor<4x3x2xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[W]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 2]
// CHECK: %[[N:.*]] = stablehlo.constant dense<8.000000e+00> : tensor<3xf32>
// CHECK: %[[MEAN:.*]] = stablehlo.divide %[[SUM]], %[[N]]
// CHECK: %[[M:.*]] = stablehlo.broadcast_in_dim %[[MEAN]], dims = [1]
// CHECK: %[[C:.*]] = stablehlo.subtract %[[W]], %[[M]]
// CHECK: %[[S:.*]] = stablehlo.multiply %[[C]], %[[C]]
// CHECK: %[[SQUARES:.*]] = stablehlo.reduce(%[[S]]
// CHECK: %[[VAR:.*]] = stablehlo.divide %[[SQUARES]]
// CHECK: stablehlo.rsqrt
// CHECK: stablehlo.convert %{{.*}} -> tensor<4x3x2xbf16>
// CHECK: stablehlo.convert %[[MEAN]] : (tensor<3xf32>) -> tensor<3xbf16>
// CHECK: stablehlo.convert %[[VAR]] : (tensor<3xf32>) -> tensor<3xbf16>
func.func @training(%x: tensor<4x3x2xbf16>, %f: tensor<3xbf16>) -> (tensor<4x3x2xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<4x3x2xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return %r#0, %r#1, %r#2 : tensor<4x3x2xbf16>, tensor<3xbf16>, tensor<3xbf16>
}

// CHECK-LABEL: @others
// CHECK-NOT: batch_norm
// CHECK-NOT: convert
// CHECK: return
func.func @others(%x: tensor<4x3xf32>, %f: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %y = "stablehlo.batch_norm_inference"(%x, %f, %f, %f, %f) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%y, %f, %f, %f, %x) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<4x3xf32>, tensor<3xf32>
}
