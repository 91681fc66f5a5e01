// Batch normalizations, with their results' names.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @batch_norm(
func.func @batch_norm(%x: tensor<2x8x3xbf16>, %f: tensor<3xbf16>, %e: tensor<8xbf16>) {
  // CHECK: %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%{{.*}}, %{{.*}}, %{{.*}}) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.001 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  // CHECK: "stablehlo.batch_norm_inference"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x8x3xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<2x8x3xbf16>
  %1 = "stablehlo.batch_norm_inference"(%x, %e, %e, %e, %e) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x8x3xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<2x8x3xbf16>
  // CHECK: %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%{{.*}}) <{epsilon = 1.000000e+00 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<2x8x3xbf16>) -> (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  %2:3 = "stablehlo.batch_norm_grad"(%x, %f, %f, %f, %x) <{epsilon = 1.0 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<2x8x3xbf16>) -> (tensor<2x8x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return
}
