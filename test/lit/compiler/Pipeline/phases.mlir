// The pipelines of the phases, one after the other, are the whole pipeline.
// RUN: %systole-opt %s --systole-pipeline="to=kernel target=v4" -o %t.whole.mlir
// RUN: %systole-opt %s --systole-import-pipeline="target=v4" --systole-legalize-pipeline="target=v4" \
// RUN:   --systole-graph-pipeline="target=v4" --systole-layout-pipeline="target=v4" \
// RUN:   --systole-fusion-pipeline="target=v4" --systole-kernel-pipeline="target=v4" -o %t.phases.mlir
// RUN: diff %t.whole.mlir %t.phases.mlir
// RUN: %systole-opt %s --systole-import-pipeline --systole-legalize-pipeline | FileCheck %s
// RUN: not %systole-opt %s --systole-layout-pipeline="target=v9" 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK: stablehlo.exponential
// CHECK-NOT: chlo
// TARGET: v9
func.func @main(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>) -> tensor<64x128xf32> {
  %0 = chlo.sinh %x : tensor<64x256xf32> -> tensor<64x256xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
      : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
