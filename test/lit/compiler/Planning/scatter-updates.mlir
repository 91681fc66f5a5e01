// The updates that a scatter copies from HBM at once have room in VMEM: its first block of %x, which would fit beside its
// result alone, is not loaded while the kernel before it runs.
// RUN: systole compile %s --target v3 -o %t.sysx
// RUN: systole-opt %s --systole-pipeline='to=kernel target=v3' | FileCheck %s

// CHECK-LABEL: kernel.func @scatter
// CHECK-SAME: block = [2048, 768], map = () -> (0, 0)>
func.func @main(%x: tensor<2048x768xf32>, %i: tensor<1152xi32>, %u: tensor<1152x768xf32>) -> tensor<2048x768xf32> {
  %k = stablehlo.reshape %i : (tensor<1152xi32>) -> tensor<1152x1xi32>
  %0 = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false, indices_are_sorted = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2048x768xf32>, tensor<1152x1xi32>, tensor<1152x768xf32>) -> tensor<2048x768xf32>
  return %0 : tensor<2048x768xf32>
}
