// What is computed asynchronously.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @futures(
func.func @futures(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[F:.*]] = "stablehlo.async_start"(%arg0) ({
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  // CHECK: }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  // CHECK: "stablehlo.async_done"(%[[F]]) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @custom_call_of_a_future(
// CHECK: stablehlo.custom_call @wait(%arg0) {{.*}}: (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
func.func @custom_call_of_a_future(%f: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @wait(%f) {has_side_effect = true} : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
