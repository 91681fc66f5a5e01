// RUN: %systole-opt %s --systole-fuse --systole-form-kernels --split-input-file | FileCheck %s

// An elementwise chain with a broadcast is one map; the bias is read by lane.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[LANE:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @main()
// CHECK: %[[B:.*]] = kernel.hbm 1 : <10xf32, hbm>
// CHECK: %[[X:.*]] = kernel.hbm 0 : <7x10xf32, hbm>
// CHECK: %[[O:.*]] = kernel.hbm 2 : <7x10xf32, hbm>
// CHECK: kernel.call @{{[^ (]+}}(%[[B]], %[[X]], %[[O]])
// CHECK: kernel.func @{{[^ (]+}} grid () (%[[BV:.*]] : !kernel.buffer<10xf32, hbm> {{.*}}, %[[XV:.*]] : !kernel.buffer<7x10xf32, hbm> {{.*}}, %[[OV:.*]] : !kernel.buffer<7x10xf32, hbm>
// CHECK: kernel.map ins(%[[XV]], %[[BV]] : {{.*}}) outs(%[[OV]] : {{.*}}) maps = [#[[ID]], #[[LANE]]]
// CHECK: stablehlo.add
// CHECK: stablehlo.tanh
// CHECK: kernel.yield
// CHECK-NOT: kernel.map
func.func @main(%x: tensor<7x10xf32>, %b: tensor<10xf32>) -> tensor<7x10xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<10xf32>) -> tensor<7x10xf32>
  %1 = stablehlo.add %x, %0 : tensor<7x10xf32>
  %2 = stablehlo.tanh %1 : tensor<7x10xf32>
  return %2 : tensor<7x10xf32>
}

// -----

// A carried value that is only read by the kernel that replaces it stays in its
// buffer (region 2, which is also the result's); the kernel runs in place.
// CHECK-LABEL: func.func @main()
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: } do {
// CHECK: %[[A:.*]] = kernel.hbm [[HOME:[0-9]+]] : <4xf32, hbm>
// CHECK: %[[B:.*]] = kernel.hbm [[HOME]] : <4xf32, hbm>
// CHECK: kernel.call @{{[^ (]+}}({{.*}}%[[A]], {{.*}}%[[B]]{{.*}})
// CHECK-NOT: copy
// CHECK: scf.yield
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Fibonacci: the old second value becomes the first, so neither may be
// overwritten before both are read; the copies at the end of the body go through
// a buffer of their own where they would run over each other.
// CHECK-LABEL: func.func @main()
// CHECK: } do {
// CHECK: kernel.call @add(
// CHECK: kernel.call @copy
// CHECK: kernel.call @copy
// CHECK: scf.yield
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y)
      : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.add %a, %b : tensor<4xf32>
    stablehlo.return %next, %b, %c : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Arrays larger than VMEM run over a grid of rows.
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = [[STEPS:[0-9]+]])
// CHECK-SAME: #kernel.operand<in, block = [[[ROWS:[0-9]+]], 4096], map = (d0) -> (d0, 0)>
// CHECK-SAME: #kernel.operand<out, block = [[[ROWS]], 4096], map = (d0) -> (d0, 0)>
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.negate %x : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// Two equal layers share one kernel.
// CHECK: kernel.call @dot(
// CHECK: kernel.call @dot(
// CHECK: kernel.func @dot grid
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// The matrix unit's sums of bf16 are rounded as they are stored.
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}}
// CHECK: kernel.dot %{{.*}}, %{{.*}} into %{{.*}} rounded to %{{.*}} :
// CHECK-NOT: kernel.map
func.func @main(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// -----

// Rows of 256 elements are pairs of rows of 128, and in a kernel a reshape of one to the other moves
// nothing; rows of 64 elements lie elsewhere.
// CHECK: kernel.func @exponential {{.*}}(%[[A:[a-z0-9]+]] : !kernel.buffer<96x256xf32, hbm>
// CHECK: kernel.view %[[A]] : <[[ROWS:[0-9]+]]x256xf32, vmem> to <[[ROWS]]x2x128xf32, vmem>
// CHECK: kernel.copy {{.*}} : <[[ROWS]]x2x128xf32, vmem>, <[[ROWS]]x4x64xf32, vmem>
func.func @main(%x: tensor<96x256xf32>) -> tensor<96x4x64xf32> {
  %0 = stablehlo.reshape %x : (tensor<96x256xf32>) -> tensor<96x2x128xf32>
  %1 = stablehlo.exponential %0 : tensor<96x2x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<96x2x128xf32>) -> tensor<96x4x64xf32>
  return %2 : tensor<96x4x64xf32>
}
