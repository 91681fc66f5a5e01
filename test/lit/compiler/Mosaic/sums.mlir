// A product that a store adds to the memory of its ref is added there by the MXU, unless something else uses it.
// RUN: %systole-opt %s --split-input-file --systole-lower-mosaic | FileCheck %s

// CHECK-LABEL: kernel.func @add
// CHECK: %[[SUM:.*]] = kernel.alloc persistent : <8x128xf32, vmem>
// CHECK-NOT: kernel.alloc
// CHECK: kernel.dot %{{.*}}, %{{.*}} into %[[SUM]] accumulate
// CHECK-NOT: stablehlo.add
// CHECK: kernel.copy %[[SUM]] to
func.func @main(%x: tensor<8x128xbf16>, %y: tensor<128x128xbf16>) -> tensor<8x128xf32> {
  %0 = kernel.mosaic_call @add(%x, %y) aliases = [-1] : (tensor<8x128xbf16>, tensor<128x128xbf16>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
module @add {
  func.func @body(%i: i32, %x: memref<8x128xbf16, #tpu.memory_space<vmem>>, %y: memref<128x128xbf16, #tpu.memory_space<vmem>>, %out: memref<8x128xf32, #tpu.memory_space<vmem>>, %sum: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 2>, scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @block, window_bounds = array<i64: 8, 128>}, {transform_indices = @block, window_bounds = array<i64: 128, 128>}, {transform_indices = @block, window_bounds = array<i64: 8, 128>}]} {
    %zero = arith.constant 0 : index
    %none = arith.constant dense<0.0> : vector<8x128xf32>
    %a = vector.load %x[%zero, %zero] : memref<8x128xbf16, #tpu.memory_space<vmem>>, vector<8x128xbf16>
    %b = vector.load %y[%zero, %zero] : memref<128x128xbf16, #tpu.memory_space<vmem>>, vector<128x128xbf16>
    %old = vector.load %sum[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %product = tpu.matmul %a, %b, %none {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>} : (vector<8x128xbf16>, vector<128x128xbf16>, vector<8x128xf32>) -> vector<8x128xf32>
    %new = arith.addf %old, %product : vector<8x128xf32>
    tpu.vector_store %new, %sum, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    %last = vector.load %sum[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %last, %out, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    return
  }
  func.func @block(%i: i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %zero, %zero : i32, i32
  }
}

// -----

// CHECK-LABEL: kernel.func @used
// CHECK: kernel.dot %{{.*}}, %{{.*}} into %[[PRODUCT:.*]] :
// CHECK: stablehlo.add
func.func @main(%x: tensor<8x128xbf16>, %y: tensor<128x128xbf16>) -> tensor<8x128xf32> {
  %0 = kernel.mosaic_call @used(%x, %y) aliases = [-1] : (tensor<8x128xbf16>, tensor<128x128xbf16>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
module @used {
  func.func @body(%i: i32, %x: memref<8x128xbf16, #tpu.memory_space<vmem>>, %y: memref<128x128xbf16, #tpu.memory_space<vmem>>, %out: memref<8x128xf32, #tpu.memory_space<vmem>>, %sum: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 2>, scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @block, window_bounds = array<i64: 8, 128>}, {transform_indices = @block, window_bounds = array<i64: 128, 128>}, {transform_indices = @block, window_bounds = array<i64: 8, 128>}]} {
    %zero = arith.constant 0 : index
    %none = arith.constant dense<0.0> : vector<8x128xf32>
    %a = vector.load %x[%zero, %zero] : memref<8x128xbf16, #tpu.memory_space<vmem>>, vector<8x128xbf16>
    %b = vector.load %y[%zero, %zero] : memref<128x128xbf16, #tpu.memory_space<vmem>>, vector<128x128xbf16>
    %old = vector.load %sum[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %product = tpu.matmul %a, %b, %none {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>} : (vector<8x128xbf16>, vector<128x128xbf16>, vector<8x128xf32>) -> vector<8x128xf32>
    %new = arith.addf %old, %product : vector<8x128xf32>
    tpu.vector_store %new, %sum, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    tpu.vector_store %product, %out, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    return
  }
  func.func @block(%i: i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %zero, %zero : i32, i32
  }
}
