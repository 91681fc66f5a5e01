// RUN: %systole-opt %s --systole-flatten-reshapes --split-input-file | FileCheck %s

// 667 rows of 3,000 hold as much as 1,000 of 2,001, 8 MB: through one dimension blocks are 128
// rows of 2,001 and 16 of 3,000.
// CHECK-LABEL: @main
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %{{.*}} : (tensor<3000x2001xf32>) -> tensor<6003000xf32>
// CHECK: stablehlo.reshape %[[FLAT]] : (tensor<6003000xf32>) -> tensor<2001x3000xf32>
func.func @main(%x: tensor<3000x2001xf32>) -> tensor<2001x3000xf32> {
  %0 = stablehlo.reshape %x : (tensor<3000x2001xf32>) -> tensor<2001x3000xf32>
  return %0 : tensor<2001x3000xf32>
}

// -----

// Rows are rows under any shape of what is outside of them.
// CHECK-LABEL: @main
// CHECK: %[[ROWS:.*]] = kernel.reinterpret %{{.*}} : tensor<501x1001x7xf32> to tensor<501501x7xf32>
// CHECK: stablehlo.reshape %[[ROWS]] : (tensor<501501x7xf32>) -> tensor<3510507xf32>
// CHECK: %[[OTHERS:.*]] = stablehlo.reshape %{{.*}} : (tensor<3510507xf32>) -> tensor<3507x1001xf32>
// CHECK: kernel.reinterpret %[[OTHERS]] : tensor<3507x1001xf32> to tensor<7x501x1001xf32>
func.func @main(%x: tensor<501x1001x7xf32>) -> tensor<7x501x1001xf32> {
  %0 = stablehlo.reshape %x : (tensor<501x1001x7xf32>) -> tensor<7x501x1001xf32>
  return %0 : tensor<7x501x1001xf32>
}

// -----

// 128 rows of 1,000,001 are too many: one after the other.
// CHECK-LABEL: @main
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [1, 1000001]
// CHECK: stablehlo.dynamic_slice
// CHECK: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK: %[[LAST:.*]] = stablehlo.dynamic_slice %{{.*}}, %[[TWO]], %{{.*}}, sizes = [1, 1000001]
// CHECK: %[[ROW:.*]] = kernel.reinterpret %[[LAST]] : tensor<1x1000001xf32> to tensor<1000001xf32>
// CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, %[[ROW]], dim = 0 : (tensor<1000001xf32>, tensor<1000001xf32>, tensor<1000001xf32>) -> tensor<3000003xf32>
func.func @main(%x: tensor<3x1000001xf32>) -> tensor<3000003xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x1000001xf32>) -> tensor<3000003xf32>
  return %0 : tensor<3000003xf32>
}

// -----

// 24 rows are 36 of the other, which can be cut as they are; so can what fits.
// CHECK-LABEL: @main
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: return
func.func @main(%x: tensor<6000x1000xf32>, %y: tensor<300x201xf32>) -> (tensor<4000x1500xf32>, tensor<201x300xf32>) {
  %0 = stablehlo.reshape %x : (tensor<6000x1000xf32>) -> tensor<4000x1500xf32>
  %1 = stablehlo.reshape %y : (tensor<300x201xf32>) -> tensor<201x300xf32>
  return %0, %1 : tensor<4000x1500xf32>, tensor<201x300xf32>
}

// -----

// A broadcast has a place of its own for a reshape, 13 MB beside the result as a whole. Each step
// makes a block of it.
// CHECK-LABEL: @main
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: return
func.func @main(%x: tensor<128xi32>) -> tensor<25600x1x7xi32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<128xi32>) -> tensor<200x128x7xi32>
  %1 = stablehlo.reshape %0 : (tensor<200x128x7xi32>) -> tensor<25600x1x7xi32>
  return %1 : tensor<25600x1x7xi32>
}

// -----

// Of elements in other rows, what counts is how the reshape alone is cut: the counts are named
// later.
// CHECK-LABEL: @main
// CHECK-NEXT: stablehlo.iota
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: return
func.func @main() -> tensor<2000100xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<20001x100xf32>
  %1 = stablehlo.reshape %0 : (tensor<20001x100xf32>) -> tensor<2000100xf32>
  return %1 : tensor<2000100xf32>
}
