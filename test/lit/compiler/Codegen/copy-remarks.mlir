// RUN: systole-opt %s --systole-pipeline="to=core" --remarks-filter=systole-codegen -o /dev/null 2>&1 | FileCheck %s

// 32 parts of 64 rows of 128 words, which lie 16 such parts apart: one strided copy.
// CHECK: [[@LINE+2]]:8: remark: {{.}}Analysis] Copy | Category:systole-codegen | ChunkWords=8192, StridedDims=1, Transfers=1
func.func @main(%x: tensor<32x16x64x128xf32>, %i: tensor<8x1xi32>) -> tensor<32x8x64x128xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 32, 1, 64, 128>}> : (tensor<32x16x64x128xf32>, tensor<8x1xi32>) -> tensor<32x8x64x128xf32>
  return %0 : tensor<32x8x64x128xf32>
}
