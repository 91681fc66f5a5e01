// A kernel of several blocks, with all that its function can have.
// RUN: %python %S/Inputs/read.py %s | FileCheck %s
// RUN: %python %S/Inputs/read.py %s 6 | FileCheck %s

// CHECK: module @program {
// CHECK-NOT: stable_mosaic
// CHECK: func.func @kernel(%arg0: i32, %arg1: i32, %arg2: memref<4xi32, #tpu.memory_space<smem>>, %arg3: memref<8x128xf32, #tpu.memory_space<vmem>>, %arg4: memref<64x128xf32, #tpu.memory_space<any>>, %arg5: memref<1x8x128xf32, #tpu.memory_space<vmem>>, %arg6: memref<8x128xf32, #tpu.memory_space<vmem>>, %arg7: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
// CHECK-SAME: dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>]
// CHECK-SAME: iteration_bounds = array<i64: 4, -9223372036854775808>
// CHECK-SAME: scalar_prefetch = 1 : i64, scratch_operands = 2 : i64
// CHECK-SAME: tpu.core_type = #tpu.core_type<tc>
// CHECK-SAME: window_params = [{pipeline_mode = #tpu.pipeline_mode<synchronous>, revisit_mode = #tpu.revisit_mode<any>, transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}, {}, {transform_indices = @transform_2, window_bounds = array<i64: 1, 8, 128>, window_kind = #tpu.element_window<[0, 1, 0], [0, 1, 0]>}]
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: arith.constant dense<true> : vector<8x128xi1>
// CHECK-DAG: arith.constant dense<1.000000e+00> : vector<8x128xf32>
// CHECK-DAG: arith.constant dense<1.000000e+00> : vector<32x128xf8E4M3FN>
// CHECK: arith.cmpi sgt, %arg1, %{{.*}} : i32
// CHECK: scf.if %{{.*}} -> (vector<8x128xf32>) {
// CHECK: vector.load %arg3[%[[ZERO]], %[[ZERO]]]
// CHECK: } else {
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8x128xf32>
// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<8x128xf32> to vector<8xf32>
// CHECK: tpu.iota {dimensions = array<i32: 1>} : () -> vector<8x128xi32>
// CHECK: cf.assert %{{.*}}, "positive"
// CHECK: math.exp %{{.*}} : vector<8x128xf32>
// CHECK: memref.load %arg2
// CHECK: func.func @transform_0(%arg0: i32, %arg1: i32, %arg2: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32)
// CHECK: func.func @transform_2(%arg0: i32, %arg1: i32, %arg2: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32, i32)
module @program attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %j: i32, %n: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>,
       %all: memref<64x128xf32, #tpu.memory_space<any>>, %y: memref<1x8x128xf32, #tpu.memory_space<vmem>>,
       %scratch: memref<8x128xf32, #tpu.memory_space<vmem>>,
       %done: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>):
    %zero = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %one = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %every = "stable_mosaic.arith.constant"() {value = dense<true> : vector<8x128xi1>} : () -> vector<8x128xi1>
    %ones = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %small = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<32x128xf8E4M3FN>} : () -> vector<32x128xf8E4M3FN>
    %sums = "stable_mosaic.arith.constant"() {value = dense<0.0> : vector<8xf32>} : () -> vector<8xf32>
    %greater = "stable_mosaic.arith.cmpi"(%j, %one) {predicate = 4 : i64} : (i32, i32) -> i1
    %v = "stable_mosaic.scf.if"(%greater) ({
      %0 = "stable_mosaic.vector.load"(%x, %zero, %zero) : (memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<8x128xf32>
      "stable_mosaic.scf.yield"(%0) : (vector<8x128xf32>) -> ()
    }, {
      "stable_mosaic.scf.yield"(%ones) : (vector<8x128xf32>) -> ()
    }) : (i1) -> vector<8x128xf32>
    %sum = "stable_mosaic.arith.addf"(%v, %ones) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
    %rows = "stable_mosaic.vector.multi_reduction"(%sum, %sums) {kind = #vector.kind<add>, reduction_dims = array<i64: 1>} : (vector<8x128xf32>, vector<8xf32>) -> vector<8xf32>
    %numbers = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>} : () -> vector<8x128xi32>
    "stable_mosaic.cf.assert"(%greater) {msg = "positive"} : (i1) -> ()
    %e = "stable_mosaic.math.exp"(%sum) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>) -> vector<8x128xf32>
    %count = "stable_mosaic.memref.load"(%n, %zero) {nontemporal = false} : (memref<4xi32, #tpu.memory_space<smem>>, index) -> i32
    "stable_mosaic.tpu.vector_store"(%e, %scratch, %zero, %zero) {add = true, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>], function_type = (i32, i32, memref<4xi32, #tpu.memory_space<smem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<64x128xf32, #tpu.memory_space<any>>, memref<1x8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> (), iteration_bounds = array<i64: 4, -9223372036854775808>, scalar_prefetch = 1 : i64, scratch_operands = 2 : i64, sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>, window_params = [{pipeline_mode = #tpu.pipeline_mode<synchronous>, revisit_mode = #tpu.revisit_mode<any>, transform_indices = @transform_0, window_bounds = array<i64: 8, 128>}, {}, {transform_indices = @transform_2, window_bounds = array<i64: 1, 8, 128>, window_kind = #tpu.element_window<[0, 1, 0], [0, 1, 0]>}]} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %j: i32, %n: memref<4xi32, #tpu.memory_space<smem>>):
    "stable_mosaic.func.return"(%i, %j) : (i32, i32) -> ()
  }) {function_type = (i32, i32, memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32), sym_name = "transform_0"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %j: i32, %n: memref<4xi32, #tpu.memory_space<smem>>):
    "stable_mosaic.func.return"(%i, %i, %j) : (i32, i32, i32) -> ()
  }) {function_type = (i32, i32, memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32, i32), sym_name = "transform_2"} : () -> ()
}
