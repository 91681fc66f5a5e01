// RUN: %systole-opt %s --systole-assign-access --systole-fuse --systole-form-kernels --split-input-file | FileCheck %s

// A loop carries its counter in a register, its limit is read once, the kernel takes
// the counter as a scalar, and the last count is stored where it leaves the program.
// CHECK-LABEL: func.func @main()
// CHECK: %[[N:.*]] = kernel.hbm 1 : <i32, hbm>
// CHECK: %[[LIMIT:.*]] = kernel.read_scalar %[[N]]
// CHECK: %[[R:.*]] = scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK-NOT: kernel.call
// CHECK: %[[P:.*]] = arith.cmpi slt, %[[I]], %[[LIMIT]]
// CHECK: scf.condition(%[[P]]) %[[I]]
// CHECK: ^bb0(%[[J:.*]]: i32):
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c1
// CHECK: kernel.call @{{[^ (]+}}({{.*}}) scalars(%[[J]])
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: %[[OUT:.*]] = kernel.hbm 3 : <i32, hbm>
// CHECK: kernel.write_scalar %[[R]] to %[[OUT]]
// CHECK: kernel.func @add {{.*}} scalars (%[[S:.*]]) attributes
// CHECK: kernel.scalar %[[S]] : tensor<i32>
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %ff = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %b = stablehlo.add %a, %ff : tensor<4xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}

// -----

// A position is a scalar wherever it comes from. A narrow element wraps by itself, a
// shift of all bits is no shift of the machine, a constant divisor stays a constant.
// CHECK-LABEL: func.func @main()
// CHECK: %[[I:.*]] = kernel.read_scalar %{{.*}} : <i8, hbm>
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[HIGH:.*]] = arith.shli %[[SUM]], %c24
// CHECK: %[[W:.*]] = arith.shrsi %[[HIGH]], %c24
// CHECK: arith.cmpi ult, %[[W]], %c8
// CHECK: arith.select
// CHECK: arith.divsi %{{.*}}, %c3
// CHECK: kernel.call @{{[^ (]+}}({{.*}}) scalars(%{{.*}})
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: kernel.copy
func.func @main(%x: tensor<9x128xf32>, %i: tensor<i8>) -> tensor<2x128xf32> {
  %one = stablehlo.constant dense<100> : tensor<i8>
  %three = stablehlo.constant dense<3> : tensor<i8>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.add %i, %one : tensor<i8>
  %1 = stablehlo.shift_left %one, %0 : tensor<i8>
  %2 = stablehlo.divide %1, %three : tensor<i8>
  %3 = stablehlo.convert %2 : (tensor<i8>) -> tensor<i32>
  %4 = stablehlo.dynamic_slice %x, %3, %zero, sizes = [2, 128] : (tensor<9x128xf32>, tensor<i32>, tensor<i32>) -> tensor<2x128xf32>
  return %4 : tensor<2x128xf32>
}

// -----

// A branch chooses a scalar in a register and an array in its buffer.
// CHECK-LABEL: func.func @main()
// CHECK: %[[C:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: kernel.call
// CHECK: scf.yield %{{.*}} : i32
// CHECK: } else {
// CHECK: kernel.call
// CHECK: scf.yield %{{.*}} : i32
// CHECK: kernel.write_scalar %[[C]] to
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %r:2 = "stablehlo.if"(%p) ({
    %one = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %one, %x : tensor<i32>, tensor<4xf32>
  }, {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %y = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %two, %y : tensor<i32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
}

// -----

// An argument of one element is the start of an update, as a scalar: it is read before the first kernel.
// CHECK-LABEL: func.func @main()
// CHECK: %[[B:.*]] = kernel.hbm {{.*}}
// CHECK: kernel.read_scalar
// CHECK: kernel.call
func.func @main(%i: tensor<1xi32>, %x: tensor<2xf32>) -> tensor<8xf32> {
  %0 = kernel.reinterpret %i : tensor<1xi32> to tensor<i32>
  %1 = stablehlo.constant dense<0.0> : tensor<8xf32>
  %2 = stablehlo.dynamic_update_slice %1, %x, %0 : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
