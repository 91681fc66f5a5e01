// Scalars are words of one message; the elements of an array are read in order.
// RUN: %systole-opt %s --split-input-file --verify-diagnostics --systole-lower-mosaic | FileCheck %s

// CHECK-LABEL: kernel.func @says
// CHECK: kernel.log %{{.*}} ["", " of ", ""] values = [i32, i32]{{$}}
// CHECK-NEXT: kernel.log %{{.*}} ["", " of ", ""] values = [i32, i32]{{$}}
// CHECK: kernel.log %{{.*}} ["x ", ""] values = [f32] typed
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: kernel.copy %{{.*}} at[%[[I]], %[[J]]] to %[[ONE:.*]] sizes = [1, 1]
// CHECK: %[[WORD:.*]] = kernel.read_element %[[ONE]]
// CHECK: kernel.log %[[WORD]] ["all ", ""] values = [tensor<3x100xf32>] typed
func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = kernel.mosaic_call @says(%x) aliases = [-1] : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
module @says {
  func.func @body(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %out: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 1>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @block, window_bounds = array<i64: 8, 128>}, {transform_indices = @block, window_bounds = array<i64: 8, 128>}]} {
    %zero = arith.constant 0 : index
    %eight = arith.constant 8 : i32
    "tpu.log"(%i, %eight) {tag = "$0 of $1", formatted = true} : (i32, i32) -> ()
    %first = memref.load %x[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>
    "tpu.log"(%first) {tag = "x ", formatted = false} : (f32) -> ()
    "tpu.log_buffer"(%x) {tag = "all ", shape = array<i64: 3, 100>} : (memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    return
  }
  func.func @block(%i: i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %zero, %zero : i32, i32
  }
}

// -----

func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = kernel.mosaic_call @says(%x) aliases = [-1] : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
module @says {
  func.func @body(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %out: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 1>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @block, window_bounds = array<i64: 8, 128>}, {transform_indices = @block, window_bounds = array<i64: 8, 128>}]} {
    // expected-error @+1 {{expects a format in which $0, $1 and so on stand for its 2 values in order}}
    "tpu.log"(%i, %i) {tag = "$1 of $0", formatted = true} : (i32, i32) -> ()
    return
  }
  func.func @block(%i: i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %zero, %zero : i32, i32
  }
}
