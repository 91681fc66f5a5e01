// RUN: %systole-opt %s --systole-pipeline="to=core" | FileCheck %s

// Index chunks of consecutive stages share words of SMEM.
// CHECK: core.regions = [
// CHECK-SAME: space = smem, base = 0, size = 1024,
// CHECK-NOT: space = smem, base = 1024
func.func @main(%p: tensor<2048xi32>, %a: tensor<2048x128xf32>, %b: tensor<2048x128xf32>, %c: tensor<2048x128xf32>, %d: tensor<2048x128xf32>, %e: tensor<2048x128xf32>) -> tensor<2048x128xf32> {
  %0 = "stablehlo.gather"(%a, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<2048x128xf32>, tensor<2048xi32>) -> tensor<2048x128xf32>
  %1 = "stablehlo.gather"(%b, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<2048x128xf32>, tensor<2048xi32>) -> tensor<2048x128xf32>
  %2 = "stablehlo.gather"(%c, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<2048x128xf32>, tensor<2048xi32>) -> tensor<2048x128xf32>
  %3 = "stablehlo.gather"(%d, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<2048x128xf32>, tensor<2048xi32>) -> tensor<2048x128xf32>
  %4 = "stablehlo.gather"(%e, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<2048x128xf32>, tensor<2048xi32>) -> tensor<2048x128xf32>
  %5 = stablehlo.add %0, %1 : tensor<2048x128xf32>
  %6 = stablehlo.add %2, %3 : tensor<2048x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<2048x128xf32>
  %8 = stablehlo.add %7, %4 : tensor<2048x128xf32>
  return %8 : tensor<2048x128xf32>
}
