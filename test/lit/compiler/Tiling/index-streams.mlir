// RUN: %systole-opt %s --systole-assign-access --systole-plan-fusions --systole-form-kernels=smem-words=32 --split-input-file | FileCheck %s

// Of 32 words one array takes at most 8. Four of these come to SMEM whole, at the start.
// CHECK: kernel.func @
// CHECK-COUNT-4: #kernel.operand<stream,
// CHECK-NOT: kernel.alloc{{[ :]}}
func.func @main(%x: tensor<2000x64xf32>, %i0: tensor<8xi32>, %i1: tensor<8xi32>, %i2: tensor<8xi32>, %i3: tensor<8xi32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %r:4 = kernel.fusion "copy" (%y = %x, %j0 = %i0, %j1 = %i1, %j2 = %i2, %j3 = %i3) : (tensor<2000x64xf32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
    %g0 = "stablehlo.gather"(%y, %j0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g1 = "stablehlo.gather"(%y, %j1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g2 = "stablehlo.gather"(%y, %j2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g3 = "stablehlo.gather"(%y, %j3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    kernel.fused %g0, %g1, %g2, %g3 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// 36 words together. The largest array comes in the stage that reads it, which leaves 28 beside 8;
// so does the last of the next size, which leaves 21.
// CHECK: kernel.func @
// CHECK-SAME: !kernel.buffer<7xi32, hbm> #kernel.operand<stream,
// CHECK-SAME: !kernel.buffer<7xi32, hbm> #kernel.operand<stream,
// CHECK-SAME: %[[K:[a-z0-9]+]] : !kernel.buffer<8xi32, hbm> #kernel.operand<raw,
// CHECK-SAME: !kernel.buffer<7xi32, hbm> #kernel.operand<stream,
// CHECK-SAME: %[[M:[a-z0-9]+]] : !kernel.buffer<7xi32, hbm> #kernel.operand<raw,
// CHECK: %[[A:.*]] = kernel.alloc : <8xi32, smem>
// CHECK: kernel.copy %[[K]] at[%{{.*}}] to %[[A]] sizes = [8]
// CHECK: kernel.load_scalar %[[A]]
// CHECK: %[[B:.*]] = kernel.alloc : <7xi32, smem>
// CHECK: kernel.copy %[[M]] at[%{{.*}}] to %[[B]] sizes = [7]
// CHECK: kernel.load_scalar %[[B]]
func.func @main(%x: tensor<2000x64xf32>, %i0: tensor<7xi32>, %i1: tensor<7xi32>, %i2: tensor<8xi32>, %i3: tensor<7xi32>, %i4: tensor<7xi32>) -> (tensor<7x64xf32>, tensor<7x64xf32>, tensor<8x64xf32>, tensor<7x64xf32>, tensor<7x64xf32>) {
  %r:5 = kernel.fusion "copy" (%y = %x, %j0 = %i0, %j1 = %i1, %j2 = %i2, %j3 = %i3, %j4 = %i4) : (tensor<2000x64xf32>, tensor<7xi32>, tensor<7xi32>, tensor<8xi32>, tensor<7xi32>, tensor<7xi32>) -> (tensor<7x64xf32>, tensor<7x64xf32>, tensor<8x64xf32>, tensor<7x64xf32>, tensor<7x64xf32>) {
    %g0 = "stablehlo.gather"(%y, %j0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<7xi32>) -> tensor<7x64xf32>
    %g1 = "stablehlo.gather"(%y, %j1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<7xi32>) -> tensor<7x64xf32>
    %g2 = "stablehlo.gather"(%y, %j2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g3 = "stablehlo.gather"(%y, %j3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<7xi32>) -> tensor<7x64xf32>
    %g4 = "stablehlo.gather"(%y, %j4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<7xi32>) -> tensor<7x64xf32>
    kernel.fused %g0, %g1, %g2, %g3, %g4 : tensor<7x64xf32>, tensor<7x64xf32>, tensor<8x64xf32>, tensor<7x64xf32>, tensor<7x64xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<7x64xf32>, tensor<7x64xf32>, tensor<8x64xf32>, tensor<7x64xf32>, tensor<7x64xf32>
}

// -----

// More than 8 come in chunks; 8 beside the chunk of another one and 16 others fit. Of 20 there are
// three chunks of 7, the last of which begins at 13, so that all have the same number.
// CHECK: kernel.func @
// CHECK-SAME: !kernel.buffer<20xi32, hbm> #kernel.operand<raw,
// CHECK-COUNT-3: !kernel.buffer<8xi32, hbm> #kernel.operand<stream,
// CHECK: %[[A:.*]] = kernel.alloc : <7xi32, smem>
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[F:.*]] = arith.muli %[[N]], %c7_i32
// CHECK: %[[M:.*]] = arith.constant 13 : i32
// CHECK: arith.minsi %[[F]], %[[M]]
// CHECK: to %[[A]] sizes = [7]
// CHECK: scf.for %{{.*}} = %{{.*}} to %c7_i32{{.*}} step
// CHECK-NOT: kernel.alloc : <{{.*}}smem>
func.func @main(%x: tensor<2000x64xf32>, %i0: tensor<20xi32>, %i1: tensor<8xi32>, %i2: tensor<8xi32>, %i3: tensor<8xi32>) -> (tensor<20x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %r:4 = kernel.fusion "copy" (%y = %x, %j0 = %i0, %j1 = %i1, %j2 = %i2, %j3 = %i3) : (tensor<2000x64xf32>, tensor<20xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> (tensor<20x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
    %g0 = "stablehlo.gather"(%y, %j0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<20xi32>) -> tensor<20x64xf32>
    %g1 = "stablehlo.gather"(%y, %j1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g2 = "stablehlo.gather"(%y, %j2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    %g3 = "stablehlo.gather"(%y, %j3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}>
        : (tensor<2000x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
    kernel.fused %g0, %g1, %g2, %g3 : tensor<20x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<20x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}
