// Where an index map reads SMEM, a loop over the steps copies blocks: a step waits for its own, starts to copy the next
// step's if it is another one, runs the body, and starts to copy out its result if the next step has another one. Without
// overlap each copy is waited for at once.
// RUN: %systole-opt %s --systole-lower-mosaic | FileCheck %s
// RUN: %systole-opt %s --systole-lower-mosaic=overlap=false | FileCheck %s --check-prefix=APART

// CHECK-LABEL: kernel.func @take grid ()
// CHECK-SAME: !kernel.buffer<4xi32, hbm> #kernel.operand<stream
// CHECK-SAME: !kernel.buffer<32x128xf32, hbm> #kernel.operand<raw
// CHECK: %[[IN:.*]] = kernel.alloc persistent buffers 2 : <8x128xf32, vmem>
// CHECK: %[[ARRIVED:.*]] = kernel.alloc : <i32, flags>
// CHECK: %[[OUT:.*]] = kernel.alloc persistent buffers 2 : <8x128xf32, vmem>
// CHECK: %[[LEFT:.*]] = kernel.alloc : <i32, flags>
// CHECK: kernel.start_copy %[[X:.*]] at[{{.*}}semaphore %[[ARRIVED]][]
// CHECK: scf.for {{.*}} iter_args(%[[STEP:[^ ]*]] = {{.*}}, %[[BLOCK:[^ ]*]] = {{.*}}, %{{.*}} = {{.*}}, %[[SLOT:[^ ]*]] = {{.*}}, %[[COMES:[^ ]*]] = {{.*}}, %[[ROW:[^ ]*]] = {{.*}}, %{{.*}} = {{.*}}, %[[TARGET:[^ ]*]] = {{.*}}, %[[GOES:[^ ]*]] =
// CHECK: %[[NEXT:.*]] = kernel.load_scalar
// CHECK: arith.cmpi ne, %[[BLOCK]], %[[NEXT]]
// CHECK: arith.cmpi ne, %[[COMES]],
// CHECK-NEXT: scf.if
// CHECK: kernel.wait_copy %[[X]] at
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = arith.muli %[[NEXT]],
// CHECK: kernel.start_copy %[[X]] at[%[[FIRST]],
// CHECK: %[[HERE:.*]] = kernel.slot %[[IN]][%[[SLOT]]]
// CHECK: %[[THERE:.*]] = kernel.slot %[[OUT]][%[[TARGET]]]
// CHECK: kernel.map ins(%[[HERE]] : {{.*}}) outs(%[[THERE]] :
// CHECK: arith.cmpi ne, %[[GOES]],
// CHECK: kernel.wait_copy {{.*}}semaphore %[[LEFT]][]
// CHECK: arith.muli %[[ROW]],
// CHECK: kernel.start_copy {{.*}}semaphore %[[LEFT]][]
// CHECK: scf.yield
// CHECK: kernel.wait_copy {{.*}}semaphore %[[LEFT]][]
// CHECK: kernel.return

// APART-NOT: kernel.start_copy
// APART: scf.for
// APART: kernel.start_copy
// APART: kernel.wait_copy
// APART-NOT: kernel.start_copy
// APART: kernel.map
// APART: kernel.start_copy
// APART: kernel.wait_copy
func.func @main(%order: tensor<4xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %0 = kernel.mosaic_call @take(%order, %x) aliases = [-1] : (tensor<4xi32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  return %0 : tensor<32x128xf32>
}
module @take {
  func.func @body(%i: i32, %order: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %out: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @chosen, window_bounds = array<i64: 8, 128>}, {transform_indices = @rows, window_bounds = array<i64: 8, 128>}]} {
    %zero = arith.constant 0 : index
    %a = vector.load %x[%zero, %zero] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %b = arith.addf %a, %a : vector<8x128xf32>
    tpu.vector_store %b, %out, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    return
  }
  func.func @chosen(%i: i32, %order: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    %step = arith.index_cast %i : i32 to index
    %block = memref.load %order[%step] : memref<4xi32, #tpu.memory_space<smem>>
    return %block, %zero : i32, i32
  }
  func.func @rows(%i: i32, %order: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %i, %zero : i32, i32
  }
}
