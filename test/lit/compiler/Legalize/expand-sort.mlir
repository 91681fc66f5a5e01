// RUN: %systole-opt %s --systole-expand-sort --split-input-file --verify-diagnostics | FileCheck %s
// RUN: %systole-opt %s --systole-expand-sort=vmem-bytes=32768 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PARTS

// Eight elements, of which any order of equal ones will do: no numbers. A comparison that does not
// order NaNs is no key.
// CHECK-LABEL: @unstable
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[COLUMN:.*]] = stablehlo.reshape %[[X]] : (tensor<8xf32>) -> tensor<1x8x1xf32>
// CHECK: kernel.column_sort(%{{.*}}) chunks = 1 : (tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK-NEXT: %[[LT:.*]] = stablehlo.compare LT, %[[A]], %[[B]]
// CHECK-NEXT: kernel.yield %[[LT]]
func.func @unstable(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A total order of floats is one of integers, which is all that is sorted, and stable by itself.
// CHECK-LABEL: @total
// CHECK: kernel.column_sort(%{{.*}}) chunks = 1 : (tensor<1x8x1xi32>) -> tensor<1x8x1xi32>
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i32>, %[[B:.*]]: tensor<i32>):
// CHECK-NEXT: stablehlo.compare LT, %[[A]], %[[B]]
// CHECK: stablehlo.bitcast_convert
func.func @total(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.sort"(%x) <{is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Three narrow keys with a number in the lower half; many rows lie along the lanes, in two chunks
// if there were 32 elements. The keys descend.
// CHECK-LABEL: @rows
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<50x3xi32>) -> tensor<3x50xi32>
// CHECK: stablehlo.pad %{{.*}}, low = [0, 0, 0], high = [0, 5, 0]
// CHECK: stablehlo.iota dim = 1 : tensor<1x8x50xi32>
// CHECK: stablehlo.shift_left
// CHECK: kernel.column_sort(%{{.*}}) chunks = 1 : (tensor<1x8x50xi32>, tensor<1x8x50xf32>)
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:3, 0:50]
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x50xf32>) -> tensor<50x3xf32>
func.func @rows(%x: tensor<50x3xi8>, %y: tensor<50x3xf32>) -> tensor<50x3xf32> {
  %r:2 = "stablehlo.sort"(%x, %y) <{is_stable = true}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<50x3xi8>, tensor<50x3xf32>) -> (tensor<50x3xi8>, tensor<50x3xf32>)
  return %r#1 : tensor<50x3xf32>
}

// -----

// A sequence fills all lanes, chunk beside chunk, and comes back in its order by a transposition. In
// 32 KB 16 of 64 rows fit twice beside their sorted copies: four parts, which are merged.
// CHECK-LABEL: @long
// CHECK: stablehlo.reshape %{{.*}} -> tensor<1x64x128xi32>
// CHECK: %[[SORTED:.*]] = kernel.column_sort(%{{.*}}) chunks = 128
// CHECK: %[[CHUNKS:.*]] = stablehlo.reshape %[[SORTED]] : (tensor<1x64x128xi32>) -> tensor<1x64x128x1xi32>
// CHECK: stablehlo.transpose %[[CHUNKS]], dims = [0, 2, 1, 3]
// PARTS-LABEL: @long
// PARTS: kernel.column_sort(%{{.*}}) chunks = 128 : (tensor<4x16x128xi32>)
// PARTS: stablehlo.reverse %{{.*}}, dims = [1, 2, 3] : tensor<2x1x16x128x1xi32>
// PARTS: stablehlo.select
// PARTS: kernel.column_sort(%{{.*}}) chunks = 128 merge
// PARTS: stablehlo.reverse %{{.*}}, dims = [1, 2, 3] : tensor<1x2x16x128x1xi32>
// PARTS: kernel.column_sort(%{{.*}}) chunks = 128 merge
// PARTS: return
func.func @long(%x: tensor<8192xi32>) -> tensor<8192xi32> {
  %r = "stablehlo.sort"(%x) <{is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8192xi32>) -> tensor<8192xi32>
  return %r : tensor<8192xi32>
}

// -----

// Of 4,096 elements 10 are read: runs of 16 rows are sorted, and of two runs one is left, bitonic. The last run of each
// lane is a column of 128 chunks, whose first elements are the rows of the first chunk.
// CHECK-LABEL: @first
// CHECK: kernel.column_sort(%{{.*}}) chunks = 1 : (tensor<2x16x128xi32>)
// CHECK: %[[LAST:.*]] = stablehlo.slice {{.*}} [0:1, 1:2, 0:16, 0:128]
// CHECK: stablehlo.reverse %[[LAST]], dims = [2]
// CHECK: stablehlo.select
// CHECK: kernel.column_sort(%{{.*}}) chunks = 1 merge : (tensor<1x16x128xi32>)
// CHECK: kernel.column_sort(%{{.*}}) chunks = 128 : (tensor<1x16x128xi32>)
// CHECK: stablehlo.slice {{.*}} [0:1, 0:10, 0:1]
func.func @first(%x: tensor<4096xi32>) -> tensor<10xi32> {
  %r = "stablehlo.sort"(%x) <{is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4096xi32>) -> tensor<4096xi32>
  %s = stablehlo.slice %r [0:10] : (tensor<4096xi32>) -> tensor<10xi32>
  return %s : tensor<10xi32>
}

// -----

func.func @comparator(%x: tensor<8xf32>, %y: tensor<4xi1>) -> tensor<8xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{operation 'stablehlo.reduce' is not supported in the body of 'stablehlo.sort'}}
    %p = stablehlo.reduce(%y init: %t) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
