// RUN: systole-opt %s --systole-select-gathers --remarks-filter=systole-select-gathers -o /dev/null 2>&1 | FileCheck %s
// RUN: systole-opt %s --systole-select-gathers -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// 64 positions in a loop take 30 cycles each; a selection 6 for each of 8 vectors.
// CHECK: [[@LINE+6]]:8: remark: {{.}}Passed] Selection | Category:systole-select-gathers | LoopCycles=1920, SelectionCycles=48
// NONE-NOT: remark
func.func @main(%x: tensor<64x10xf32>, %l: tensor<64x1xi32>, %y: tensor<4x60000xf32>, %m: tensor<4x1xi32>)
    -> (tensor<64xf32>, tensor<4xf32>) {
  %rows = stablehlo.iota dim = 0 : tensor<64x1xi32>
  %i = stablehlo.concatenate %rows, %l, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<64x10xf32>, tensor<64x2xi32>) -> tensor<64xf32>
  %few = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %j = stablehlo.concatenate %few, %m, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  // All 60,000 elements of each row would be compared, for one of them.
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] Loop | Category:systole-select-gathers
  %h = "stablehlo.gather"(%y, %j) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<4x60000xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %g, %h : tensor<64xf32>, tensor<4xf32>
}
