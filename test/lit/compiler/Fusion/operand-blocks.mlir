// RUN: %systole-opt %s --systole-fuse --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Rows and columns of one array, which its kernel cuts in two ways.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}}
// CHECK-SAME: !kernel.buffer<2000x50xf32, hbm> #kernel.operand<in, block = [256, 50], map = (d0, d1) -> (d1, 0)>
// CHECK-SAME: !kernel.buffer<2000x50xf32, hbm> #kernel.operand<in, block = [512, 50], map = (d0, d1) -> (d0, 0)>
func.func @main(%x: tensor<2000x50xf32>) -> tensor<2000x2000xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<2000x50xf32>, tensor<2000x50xf32>) -> tensor<2000x2000xf32>
  return %0 : tensor<2000x2000xf32>
}

// -----

// A small one is there whole.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid ()
func.func @main(%x: tensor<200x50xf32>) -> tensor<200x200xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<200x50xf32>, tensor<200x50xf32>) -> tensor<200x200xf32>
  return %0 : tensor<200x200xf32>
}

// -----

// Differences of all pairs: what lies along the lanes of one operand enumerates the rows of
// the other.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = {{[0-9]+}})
// CHECK-SAME: #kernel.operand<in, block = [128], map = (d0) -> (d0)>
// CHECK-SAME: #kernel.operand<in, block = [4000], map = (d0) -> (0)>
func.func @main(%x: tensor<4000xf32>) -> tensor<4000x4000xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4000xf32>) -> tensor<4000x4000xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4000xf32>) -> tensor<4000x4000xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<4000x4000xf32>
  return %2 : tensor<4000x4000xf32>
}

// -----

// What each reader has its own copy of can be read at an offset only from HBM.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = {{[0-9]+}})
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = {{[0-9]+}})
func.func @main() -> tensor<3000001xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<3000001xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<3000001xi32>
  return %1 : tensor<3000001xi32>
}

// -----

// So where one operand of several is.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = {{[0-9]+}})
func.func @main(%x: tensor<20001x100xf32>, %row: tensor<100xf32>) -> tensor<40002x100xf32> {
  %0 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<100xf32>) -> tensor<20001x100xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<20001x100xf32>, tensor<20001x100xf32>) -> tensor<40002x100xf32>
  return %1 : tensor<40002x100xf32>
}

// -----

// Small ones stay where they are read.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid ()
func.func @main() -> tensor<301xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<301xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<301xi32>
  return %1 : tensor<301xi32>
}

// -----

// Of three readers two share their blocks.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = 13)
// CHECK-SAME: !kernel.buffer<1600x1600xf32, hbm> #kernel.operand<in, block = [128, 1600], map = (d0) -> (d0, 0)>
// CHECK-SAME: !kernel.buffer<1600x1600xf32, hbm> #kernel.operand<in, block = [1600, 128], map = (d0) -> (0, d0)>
// CHECK-NOT: #kernel.operand<in
// CHECK-SAME: #kernel.operand<out, block = [128, 1600], map = (d0) -> (d0, 0)>
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1600x1600xf32>) -> tensor<1600x1600xf32>
  %1 = stablehlo.clamp %x, %0, %x : tensor<1600x1600xf32>
  return %1 : tensor<1600x1600xf32>
}
