// RUN: %systole-opt %s --systole-place-parts | FileCheck %s
// RUN: %systole-opt %s --systole-pipeline="from=layout to=kernel" | FileCheck %s --check-prefix=KERNEL

// Rows of an array that a scan reads, and of one that it writes: the kernel of the trip has them as
// operands that begin at a row, and nothing else copies them.
// CHECK-LABEL: @main
// CHECK: %[[ROW:.*]] = kernel.part %arg0[%[[I:[^,]*]], %[[ZERO:[^,]*]], %[[ZERO]]] sizes = [1, 8, 128]
// CHECK-SAME: -> tensor<1x8x128xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[ROW]]
// CHECK: kernel.replace_part %{{[^,]*}}, %[[SUM]][%[[I]], %[[ZERO]], %[[ZERO]]]
// The last part begins at row 4 * 8.
// KERNEL: %[[LAST:.*]] = arith.constant 4
// KERNEL: %[[AT:.*]] = arith.minsi %{{.*}}, %{{.*}}
// KERNEL: %[[FIRST:.*]] = arith.muli %[[AT]]
// KERNEL-NOT: kernel.call @copy
// KERNEL: kernel.call @add({{.*}}) scalars(%[[FIRST]])
// KERNEL-NOT: kernel.call
// KERNEL: kernel.func @add
// KERNEL-SAME: #kernel.operand<in, block = [1, 8, 128], map = () -> (0, 0, 0), row = 0>
// KERNEL-SAME: #kernel.operand<out, block = [1, 8, 128], map = () -> (0, 0, 0), row = 0>
func.func @main(%x: tensor<5x8x128xf32>, %y: tensor<1x8x128xf32>) -> tensor<5x8x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %none = kernel.uninitialized : tensor<5x8x128xf32>
  %r:2 = stablehlo.while(%i = %first, %rows = %none) : tensor<i32>, tensor<5x8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %sum = stablehlo.add %row, %y : tensor<1x8x128xf32>
    %new = stablehlo.dynamic_update_slice %rows, %sum, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %new : tensor<i32>, tensor<5x8x128xf32>
  }
  return %r#1 : tensor<5x8x128xf32>
}

// Four rows of a slice are no whole group of eight; a slice of the lanes is no run; an array that is
// updated may be written while a kernel reads it.
// CHECK-LABEL: @stays
// CHECK-NOT: kernel.part
// CHECK-COUNT-3: stablehlo.dynamic_slice
func.func @stays(%x: tensor<5x4x128xf32>, %y: tensor<5x8x256xf32>, %z: tensor<5x8x128xf32>,
                 %i: tensor<i32>)
    -> (tensor<1x4x128xf32>, tensor<1x8x128xf32>, tensor<1x8x128xf32>, tensor<5x8x128xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 4, 128]
      : (tensor<5x4x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x128xf32>
  %b = stablehlo.dynamic_slice %y, %i, %zero, %i, sizes = [1, 8, 128]
      : (tensor<5x8x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
  %c = stablehlo.dynamic_slice %z, %i, %zero, %zero, sizes = [1, 8, 128]
      : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
  %a1 = stablehlo.negate %a : tensor<1x4x128xf32>
  %b1 = stablehlo.negate %b : tensor<1x8x128xf32>
  %c1 = stablehlo.negate %c : tensor<1x8x128xf32>
  %d = stablehlo.dynamic_update_slice %z, %c1, %i, %zero, %zero
      : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
      -> tensor<5x8x128xf32>
  return %a1, %b1, %c1, %d
      : tensor<1x4x128xf32>, tensor<1x8x128xf32>, tensor<1x8x128xf32>, tensor<5x8x128xf32>
}

// Rows of 512 elements are four rows of 128 each, whatever their shape.
// CHECK-LABEL: @reshaped
// CHECK: kernel.part %arg0[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] sizes = [1, 8, 512]
// CHECK-SAME: -> tensor<8x4x128xf32>
func.func @reshaped(%x: tensor<5x8x512xf32>, %i: tensor<i32>) -> tensor<8x4x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %row = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 512]
      : (tensor<5x8x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x512xf32>
  %rows = stablehlo.reshape %row : (tensor<1x8x512xf32>) -> tensor<8x4x128xf32>
  %0 = stablehlo.negate %rows : tensor<8x4x128xf32>
  return %0 : tensor<8x4x128xf32>
}
