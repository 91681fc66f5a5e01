// Indices have the channels behind those of the operations, with the bounds that they have.
// RUN: systole-opt --systole-insert-taps="only=99 indices" %s | FileCheck %s
// CHECK-LABEL: func.func private @indices
// CHECK-NEXT: constant
// CHECK-NEXT: constant
// CHECK-NEXT: kernel.send %arg1 to [[#FIRST:]] : tensor<i32>
// CHECK-NEXT: kernel.send %{{.*}} to [[#FIRST+1]] : tensor<i32>
// CHECK-NEXT: dynamic_slice
// CHECK-NEXT: kernel.send %arg2 to [[#FIRST+2]] : tensor<3x1xi32>
// CHECK-NEXT: stablehlo.gather
// CHECK-NEXT: kernel.send %arg1 to [[#FIRST+3]] : tensor<i32>
// CHECK-NEXT: clamp
func.func private @indices(%x: tensor<5x8xf32>, %i: tensor<i32>, %j: tensor<3x1xi32>) -> (tensor<2x8xf32>, tensor<3x8xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [2, 8] : (tensor<5x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %g = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<5x8xf32>, tensor<3x1xi32>) -> tensor<3x8xf32>
  %c = stablehlo.clamp %zero, %i, %nine : tensor<i32>
  return %s, %g, %c : tensor<2x8xf32>, tensor<3x8xf32>, tensor<i32>
}
