// RUN: %systole-opt %s --systole-fuse --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Rows and columns of one array: a small one is there whole.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid ()
func.func @main(%x: tensor<200x50xf32>) -> tensor<200x200xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<200x50xf32>, tensor<200x50xf32>) -> tensor<200x200xf32>
  return %0 : tensor<200x200xf32>
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
