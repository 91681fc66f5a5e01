// Columns of bf16 that a kernel divides lie as panels; a block is not larger than its array; SMEM has words.
// RUN: %systole-opt %s --systole-arrange-mosaic-operands | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<32x256xbf16>, %[[Y:.*]]: tensor<5x128xf32>, %[[N:.*]]: tensor<2xi16>)
// CHECK-DAG: %[[ROWS:.*]] = stablehlo.reshape %[[X]] : (tensor<32x256xbf16>) -> tensor<32x2x128xbf16>
// CHECK-DAG: %[[PANELS:.*]] = stablehlo.transpose %[[ROWS]], dims = [1, 0, 2]
// CHECK-DAG: %[[PADDED:.*]] = stablehlo.pad %[[Y]], %{{.*}}, low = [0, 0], high = [3, 0], interior = [0, 0]
// CHECK-DAG: %[[WORDS:.*]] = stablehlo.convert %[[N]] : (tensor<2xi16>) -> tensor<2xi32>
// CHECK: kernel.mosaic_call @columns(%[[WORDS]], %[[PANELS]], %[[PADDED]])
// CHECK-SAME: -> tensor<2x32x128xbf16>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2]
// CHECK: stablehlo.reshape %{{.*}} : (tensor<32x2x128xbf16>) -> tensor<32x256xbf16>
func.func @main(%x: tensor<32x256xbf16>, %y: tensor<5x128xf32>, %n: tensor<2xi16>) -> tensor<32x256xbf16> {
  %0 = kernel.mosaic_call @columns(%n, %x, %y) aliases = [-1] : (tensor<2xi16>, tensor<32x256xbf16>, tensor<5x128xf32>) -> tensor<32x256xbf16>
  return %0 : tensor<32x256xbf16>
}
module @columns {
  func.func @body(%i: i32, %j: i32, %n: memref<2xi16, #tpu.memory_space<smem>>, %x: memref<16x128xbf16, #tpu.memory_space<vmem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %out: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<parallel>], iteration_bounds = array<i64: 2, 2>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @block, window_bounds = array<i64: 16, 128>}, {transform_indices = @first, window_bounds = array<i64: 8, 128>}, {transform_indices = @block, window_bounds = array<i64: 16, 128>}]} {
    return
  }
  func.func @block(%i: i32, %j: i32, %n: memref<2xi16, #tpu.memory_space<smem>>) -> (i32, i32) {
    return %i, %j : i32, i32
  }
  func.func @first(%i: i32, %j: i32, %n: memref<2xi16, #tpu.memory_space<smem>>) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %zero, %zero : i32, i32
  }
}
