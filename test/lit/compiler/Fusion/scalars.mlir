// RUN: %systole-opt %s --systole-fuse --split-input-file | FileCheck %s

// Who computes an integer scalar: the sequencer (outside of fusions) or a kernel.

// What only data needs joins the kernels that need it, an argument included.
// CHECK-LABEL: @for_data
// CHECK-NOT: stablehlo.add
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg1, %{{.*}} = %arg0)
// CHECK: stablehlo.add
func.func @for_data(%x: tensor<8xi32>, %n: tensor<i32>) -> tensor<8xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %n, %one : tensor<i32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
  %2 = stablehlo.multiply %x, %1 : tensor<8xi32>
  return %2 : tensor<8xi32>
}

// -----

// A sum is data: the kernel that computes it compares it, and control reads that.
// CHECK-LABEL: @from_data
// CHECK: %[[P:.*]] = kernel.fusion "reduce"
// CHECK: stablehlo.compare
// CHECK: stablehlo.if
func.func @from_data(%x: tensor<8xi32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %p = stablehlo.compare GT, %s, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %zero : tensor<i32>
  }, {
    %one = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
}

// -----

// What depends on a counter and on data is the sequencer's if control needs it
// (%go), a kernel's otherwise (%sum). It comes behind the kernel whose result it reads.
// CHECK-LABEL: @both
// CHECK: stablehlo.while(%[[I:[^ ]*]] = {{.*}}, %[[T:[^ ]*]] = {{.*}}, %[[G:[^ ]*]] = {{.*}}, %[[S:[^ ]*]] =
// CHECK: do
// CHECK: %[[NEXT:.*]] = stablehlo.add %[[I]]
// CHECK: %[[F:.*]]:2 = kernel.fusion
// CHECK: stablehlo.reduce
// CHECK: kernel.fused
// CHECK: stablehlo.and
// CHECK: stablehlo.return %[[NEXT]], %[[F]]#{{[01]}}
func.func @both(%x: tensor<8xi32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %r:4 = stablehlo.while(%i = %zero, %total = %zero, %go = %true, %y = %x)
      : tensor<i32>, tensor<i32>, tensor<i1>, tensor<8xi32>
  cond {
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
    %sum = stablehlo.add %total, %s : tensor<i32>
    %small = stablehlo.compare LT, %s, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %few = stablehlo.compare LT, %next, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %small, %few : tensor<i1>
    stablehlo.return %next, %sum, %both, %y : tensor<i32>, tensor<i32>, tensor<i1>, tensor<8xi32>
  }
  return %r#1 : tensor<i32>
}

// -----

// A stride that comes from outside the loop is read once, so the sequencer counts by it.
// CHECK-LABEL: @stride
// CHECK: do
// CHECK-NOT: kernel.fusion
// CHECK: stablehlo.add %{{.*}}, %arg1
// CHECK: stablehlo.return
func.func @stride(%n: tensor<i32>, %by: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %by : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// Operations that share a kernel stay together, constants and scalars of the sequencer in between
// or not.
// CHECK-LABEL: @unit
// CHECK-NOT: stablehlo.shift_left
// CHECK: kernel.fusion "loop"
// CHECK: stablehlo.shift_left
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @unit(%x: tensor<ui32>, %y: tensor<8xui32>) -> tensor<8xui32> {
  %three = stablehlo.constant dense<3> : tensor<ui32>
  %0 = stablehlo.and %x, %three {kernel.expanded = 0 : i32} : tensor<ui32>
  %five = stablehlo.constant dense<5> : tensor<ui32>
  %1 = stablehlo.shift_left %three, %five {kernel.expanded = 0 : i32} : tensor<ui32>
  %2 = stablehlo.xor %0, %1 {kernel.expanded = 0 : i32} : tensor<ui32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8xui32>
  %4 = stablehlo.add %3, %y : tensor<8xui32>
  return %4 : tensor<8xui32>
}
