// The only public function becomes @main; its callers and callees are kept.
// RUN: %systole-opt %s --systole-resolve-entry | FileCheck %s

// CHECK: func.func @main(%arg0: tensor<4xf32>)
// CHECK: call @helper
// CHECK: func.func private @helper
// CHECK-NEXT: {{^ *}}return %arg0 : tensor<4xf32>
func.func @train(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// Functions may end with a region terminator.
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.return %x : tensor<4xf32>
}

// Sizes of type `index` are integers.
// CHECK: func.func private @sizes(%{{.*}}: tensor<?xf32>, %[[S:.*]]: tensor<2xi64>)
// CHECK: stablehlo.dynamic_reshape %{{.*}}, %[[S]] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
func.func private @sizes(%x: tensor<?xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
