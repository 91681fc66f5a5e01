// All operations.
// RUN: %systole-opt %s | FileCheck %s

!vmem = memref<8x128xf32, #tpu.memory_space<vmem>>
!hbm = memref<8x128xf32, #tpu.memory_space<hbm>>
!v = vector<8x128xf32>
!vi = vector<8x128xi32>
!sem = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
!dma = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>

// CHECK-LABEL: func.func @accesses
func.func @accesses(%m: !vmem, %i: index, %mask: vector<8x128xi1>, %row: vector<8x1xi1>) {
  // CHECK: tpu.vector_load
  %0 = tpu.vector_load %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>, strides = array<i32>} : (!vmem, index, index) -> vector<4x128xf32>
  // CHECK: tpu.vector_load
  %1 = tpu.vector_load %m, %i, %i, %row {operandSegmentSizes = array<i32: 1, 2, 1>, strides = array<i32: 1, 1>} : (!vmem, index, index, vector<8x1xi1>) -> !v
  // CHECK: tpu.vector_load
  %2 = tpu.vector_load %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>, strides = array<i32>} : (!vmem, index, index) -> vector<128xf32>
  // CHECK: tpu.vector_store {{.*}}add = true
  tpu.vector_store %1, %m, %i, %i, %mask {operandSegmentSizes = array<i32: 1, 1, 2, 1>, strides = array<i32>, add = true} : (!v, !vmem, index, index, vector<8x128xi1>) -> ()
  // CHECK: tpu.strided_load
  %3 = tpu.strided_load %m, %i, %i {strides = array<i32: 2, 1>} : (!vmem, index, index) -> vector<4x128xf32>
  // CHECK: tpu.strided_load
  %row0 = tpu.strided_load %m, %i, %i {strides = array<i32: 0, 1>} : (!vmem, index, index) -> !v
  // CHECK: tpu.strided_store
  tpu.strided_store %3, %m, %i, %i {strides = array<i32: 2, 1>} : (vector<4x128xf32>, !vmem, index, index) -> ()
  // CHECK: tpu.load
  %4 = tpu.load %m, %i, %i {sublane_mask = array<i1: true, false>} : (!vmem, index, index) -> !v
  // CHECK: tpu.store
  tpu.store %4, %m, %i, %i {operandSegmentSizes = array<i32: 1, 1, 2, 0>, sublane_mask = array<i1: true>, sublane_stride = 2 : i32} : (!v, !vmem, index, index) -> ()
  // CHECK: tpu.shuffled_load
  %5 = tpu.shuffled_load %m, %i, %i {sublane_mask = array<i1: true, true>, sublane_offsets = array<i32: 1, 0>} : (!vmem, index, index) -> !v
  // CHECK: tpu.shuffled_store
  tpu.shuffled_store %5, %m, %i, %i {sublane_mask = array<i1: true, true>, sublane_offsets = array<i32: 1, 0>} : (!v, !vmem, index, index) -> ()
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%m: memref<1x8x128xf32, #tpu.memory_space<vmem>>, %b: memref<32x128xi8, #tpu.memory_space<vmem>>, %i: i32) {
  // CHECK: tpu.memref_slice
  %0 = tpu.memref_slice %m, %i, %i, %i {operandSegmentSizes = array<i32: 1, 3, 0>} : (memref<1x8x128xf32, #tpu.memory_space<vmem>>, i32, i32, i32) -> memref<1x4x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_slice
  %1 = tpu.memref_slice %m, %i, %i, %i, %i {operandSegmentSizes = array<i32: 1, 3, 1>} : (memref<1x8x128xf32, #tpu.memory_space<vmem>>, i32, i32, i32, i32) -> memref<1x?x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_squeeze
  %2 = tpu.memref_squeeze %m : (memref<1x8x128xf32, #tpu.memory_space<vmem>>) -> !vmem
  // CHECK: tpu.memref_reshape
  %3 = tpu.memref_reshape %2 : (!vmem) -> memref<2x4x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.memref_bitcast
  %4 = tpu.memref_bitcast %b : (memref<32x128xi8, #tpu.memory_space<vmem>>) -> memref<8x128xi32, #tpu.memory_space<vmem>>
  // CHECK: tpu.reinterpret_cast
  %5 = tpu.reinterpret_cast %m, %i, %i {operandSegmentSizes = array<i32: 1, 1, 1>} : (memref<1x8x128xf32, #tpu.memory_space<vmem>>, i32, i32) -> memref<?x128xf32, #tpu.memory_space<vmem>>
  // CHECK: tpu.erase_memref_layout
  %6 = tpu.erase_memref_layout %2 : (!vmem) -> memref<8x128xf32>
  // CHECK: tpu.assume_layout
  %7 = tpu.assume_layout %2 : (!vmem) -> !vmem
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%x: vector<8x32xbf16>, %y: vector<32x16xbf16>, %yt: vector<16x32xbf16>, %z: vector<8x16xf32>,
                    %b: vector<4x8x32xf32>, %c: vector<4x16x32xf32>, %d: vector<4x8x16xf32>) {
  // CHECK: tpu.matmul
  %0 = tpu.matmul %x, %y, %z : (vector<8x32xbf16>, vector<32x16xbf16>, vector<8x16xf32>) -> vector<8x16xf32>
  // CHECK: tpu.matmul {{.*}}transpose_rhs = true
  %1 = tpu.matmul %x, %yt, %z {transpose_rhs = true, transpose_lhs = false} : (vector<8x32xbf16>, vector<16x32xbf16>, vector<8x16xf32>) -> vector<8x16xf32>
  // CHECK: tpu.matmul {{.*}}precision = #tpu.contract_precision<fp32>
  %2 = tpu.matmul %b, %c, %d {dimension_numbers = #tpu.dot_dimension_numbers<[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false} : (vector<4x8x32xf32>, vector<4x16x32xf32>, vector<4x8x16xf32>) -> vector<4x8x16xf32>
  // CHECK: tpu.matmul_push_rhs
  tpu.matmul_push_rhs %y {mxu_index = 0 : i32} : (vector<32x16xbf16>) -> ()
  // CHECK: tpu.matmul_acc_lhs
  tpu.matmul_acc_lhs %x {acc = 0 : i32, mxu_index = 0 : i32, load_staged_rhs = 0 : i32} : (vector<8x32xbf16>) -> ()
  // CHECK: tpu.matmul_pop
  %3 = tpu.matmul_pop {acc = 0 : i32, mxu_index = 0 : i32} : () -> vector<8x16xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: !v) {
  // CHECK: tpu.all_reduce
  %0 = tpu.all_reduce %x {dim = 0, kind = #tpu.reduction_kind<sum>} : (!v) -> !v
  // CHECK: tpu.all_reduce
  %1 = tpu.all_reduce %x {dim = 1, kind = #tpu.reduction_kind<arg_max>} : (!v) -> !vi
  // CHECK: tpu.reduce_index
  %2 = tpu.reduce_index %x {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : (!v) -> vector<8xi32>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: !v, %n: i32, %i: vector<8x64xi32>) {
  // CHECK: tpu.iota
  %0 = tpu.iota {dimensions = array<i32: 1, 0>} : () -> !vi
  // CHECK: tpu.dynamic_rotate
  %1 = tpu.dynamic_rotate %x, %n {dimension = 0 : si32} : (!v, i32) -> !v
  // CHECK: tpu.dynamic_rotate
  %2 = tpu.dynamic_rotate %x, %n {dimension = 1 : si32, stride = 1 : si32, stride_dimension = 0 : si32} : (!v, i32) -> !v
  // CHECK: tpu.reshape
  %3 = tpu.reshape %x : (!v) -> vector<1024xf32>
  // CHECK: tpu.repeat
  %4 = tpu.repeat %x {dimension = 0 : i32, times = 3 : i32} : (!v) -> vector<24x128xf32>
  // CHECK: tpu.concatenate
  %5 = tpu.concatenate %x, %4 {dimension = 0 : i32} : (!v, vector<24x128xf32>) -> vector<32x128xf32>
  // CHECK: tpu.transpose
  %6 = tpu.transpose %x {permutation = array<i64: 1, 0>} : (!v) -> vector<128x8xf32>
  // CHECK: tpu.gather
  %7 = tpu.gather %x {dimension = 0 : i32, indices = array<i32: 7, 0>} : (!v) -> vector<2x128xf32>
  // CHECK: tpu.dynamic_gather
  %8 = tpu.dynamic_gather %x, %i {dimensions = array<i32: 1>} : (!v, vector<8x64xi32>) -> vector<8x64xf32>
  // CHECK: tpu.relayout
  %9 = tpu.relayout %x : (!v) -> !v
  // CHECK: tpu.broadcast_in_sublanes
  %10 = tpu.broadcast_in_sublanes %x {lane = 3 : i32} : (!v) -> !v
  // CHECK: tpu.sublane_shuffle
  %11 = tpu.sublane_shuffle %x, %x {pattern = array<i32: 0, 1, 2, 3, 4, 5, 6, 15>} : (!v, !v) -> !v
  // CHECK: tpu.unroll_vectors
  %12:2 = tpu.unroll_vectors %5 : (vector<32x128xf32>) -> (vector<16x128xf32>, vector<16x128xf32>)
  // CHECK: tpu.roll_vectors
  %13 = tpu.roll_vectors %12#0, %12#1 : (vector<16x128xf32>, vector<16x128xf32>) -> vector<32x128xf32>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%x: !v, %i: !vi, %b: vector<16x128xbf16>, %s: f32) {
  // CHECK: tpu.fptosi
  %0 = tpu.fptosi %x {rounding_mode = #tpu.rounding_mode<towards_zero>} : (!v) -> !vi
  // CHECK: tpu.fptoui
  %1 = tpu.fptoui %s {rounding_mode = #tpu.rounding_mode<to_nearest_even>} : (f32) -> i32
  // CHECK: tpu.sitofp
  %2 = tpu.sitofp %i {rounding_mode = #tpu.rounding_mode<to_nearest_even>} : (!vi) -> !v
  // CHECK: tpu.uitofp
  %3 = tpu.uitofp %i {rounding_mode = #tpu.rounding_mode<to_nearest_even>} : (!vi) -> !v
  // CHECK: tpu.truncf
  %4 = tpu.truncf %x {rounding_mode = #tpu.rounding_mode<to_nearest_even>} : (!v) -> vector<8x128xbf16>
  // CHECK: tpu.extf
  %5 = tpu.extf %4 : (vector<8x128xbf16>) -> !v
  // CHECK: tpu.bitcast
  %6 = tpu.bitcast %b : (vector<16x128xbf16>) -> !vi
  // CHECK: tpu.bitcast_vreg
  %7 = tpu.bitcast_vreg %x : (!v) -> vector<8x128x2xbf16>
  // CHECK: tpu.weird
  %8 = tpu.weird %x : (!v) -> vector<8x128xi1>
  // CHECK: tpu.weird
  %9 = tpu.weird %s : (f32) -> i1
  // CHECK: tpu.reciprocal
  %10 = tpu.reciprocal %x {approx = true, full_range = false} : (!v) -> !v
  // CHECK: tpu.stochastic_convert
  %11 = tpu.stochastic_convert %x, %i : (!v, !vi) -> vector<8x128xbf16>
  // CHECK: tpu.stochastic_convert_elementwise
  %12 = tpu.stochastic_convert_elementwise %x, %i {dst_type = f8E5M2} : (!v, !vi) -> !vi
  return
}

// CHECK-LABEL: func.func @packing
func.func @packing(%x: !v, %i: !vi, %n: index, %mask: vector<8x128x2xi1>) {
  // CHECK: tpu.pack_elementwise
  %0 = tpu.pack_elementwise %x, %x {target_type = bf16} : (!v, !v) -> !vi
  // CHECK: tpu.unpack_elementwise
  %1 = tpu.unpack_elementwise %i {source_type = bf16, index = 1 : i32} : (!vi) -> !v
  // CHECK: tpu.pack_subelements
  %2 = tpu.pack_subelements %x, %x {positions = array<i32: 1, 0>, pack_format = #tpu.pack_format<compressed>} : (!v, !v) -> vector<8x128x2xbf16>
  // CHECK: tpu.unpack_subelements
  %3 = tpu.unpack_subelements %2 {index = 1 : i32, pack_format = #tpu.pack_format<interleaved>, integer_extended = false} : (vector<8x128x2xbf16>) -> !v
  // CHECK: tpu.create_mask
  %4 = tpu.create_mask %n, %n, %n, %n : (index, index, index, index) -> vector<8x128xi1>
  // CHECK: tpu.create_subelement_mask
  %5 = tpu.create_subelement_mask {from = 3 : i32, to = 9 : i32} : () -> vector<8x128x2xi1>
  // CHECK: tpu.mask_cast
  %6 = tpu.mask_cast %5 : (vector<8x128x2xi1>) -> vector<8x128xi1>
  // CHECK: tpu.pack_vmsk
  %7 = tpu.pack_vmsk %4, %4 {positions = array<i32: 0, 1>} : (vector<8x128xi1>, vector<8x128xi1>) -> vector<8x128x2xi1>
  return
}

// CHECK-LABEL: func.func @transfers
func.func @transfers(%h: !hbm, %m: !vmem, %s: !sem, %d: !dma, %n: i32) {
  // CHECK: tpu.enqueue_dma
  tpu.enqueue_dma %h, %m, %d {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, priority = 1 : i32} : (!hbm, !vmem, !dma) -> ()
  // CHECK: tpu.enqueue_dma
  tpu.enqueue_dma %m, %d, %m, %d, %n, %n {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>, strict_ordering = true} : (!vmem, !dma, !vmem, !dma, i32, i32) -> ()
  // CHECK: tpu.wait_dma2
  tpu.wait_dma2 %d, %h, %m {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!dma, !hbm, !vmem) -> ()
  // CHECK: tpu.wait_dma
  tpu.wait_dma %h, %m, %d {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, wait_target = true} : (!hbm, !vmem, !dma) -> ()
  // CHECK: tpu.sem_signal
  tpu.sem_signal %s, %n, %n {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!sem, i32, i32) -> ()
  // CHECK: tpu.sem_wait
  tpu.sem_wait %s, %n : (!sem, i32) -> ()
  // CHECK: tpu.sem_read
  %0 = tpu.sem_read %s : (!sem) -> i32
  // CHECK: tpu.sem_alloc
  %1 = tpu.sem_alloc : () -> memref<4x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_barrier
  %2 = tpu.sem_barrier : () -> !sem
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%m: !vmem, %n: i32, %x: !v) {
  // CHECK: tpu.region -> (i32) {
  // CHECK: tpu.yield %{{.*}} : i32
  %0 = tpu.region -> (i32) {
    tpu.yield %n : i32
  }
  // CHECK: tpu.region {
  tpu.region {
    tpu.yield
  }
  // CHECK: tpu.trace attributes {level = 10 : i32, message = "m"} {
  tpu.trace attributes {message = "m", level = 10 : i32} {
  }
  // CHECK: tpu.trace_start
  tpu.trace_start {message = "m", level = 10 : i32} : () -> ()
  // CHECK: tpu.trace_stop
  tpu.trace_stop : () -> ()
  // CHECK: tpu.trace_value
  tpu.trace_value %n {label = "n"} : (i32) -> ()
  // CHECK: tpu.log
  tpu.log %n, %x {tag = "n = {}", formatted = true} : (i32, !v) -> ()
  // CHECK: tpu.log_buffer
  tpu.log_buffer %m {shape = array<i64: 8, 100>, tag = "m"} : (!vmem) -> ()
  // CHECK: tpu.delay
  tpu.delay %n : (i32) -> ()
  // CHECK: tpu.device_id
  %1 = tpu.device_id : () -> i32
  // CHECK: tpu.core_id
  %2 = tpu.core_id : () -> i32
  // CHECK: tpu.iteration_bound
  %3 = tpu.iteration_bound {dim = 0 : i32} : () -> i32
  // CHECK: tpu.internal_scratch
  %4 = tpu.internal_scratch : () -> memref<1024xi32, #tpu.memory_space<vmem>>
  // CHECK: tpu.assume_multiple
  %5 = tpu.assume_multiple %n {multiple = 8 : i32} : (i32) -> i32
  // CHECK: tpu.prng_set_seed_32
  tpu.prng_set_seed_32 %n, %n : (i32, i32) -> ()
  // CHECK: tpu.prng_random_bits
  %6 = tpu.prng_random_bits : () -> !vi
  return
}
