// Where an index map reads SMEM, a loop copies the blocks that a step sees and the one before did not have; a block of a
// result leaves when another one comes, or at the end.
// RUN: %systole-opt %s --systole-lower-mosaic | FileCheck %s

// CHECK-LABEL: kernel.func @take grid ()
// CHECK-SAME: !kernel.buffer<4xi32, hbm> #kernel.operand<stream
// CHECK-SAME: !kernel.buffer<32x128xf32, hbm> #kernel.operand<raw
// CHECK-DAG: %[[IN:.*]] = kernel.alloc persistent : <8x128xf32, vmem>
// CHECK-DAG: kernel.store_scalar %{{.*}} to %[[THERE:.*]][%{{.*}}] : <2xi32, smem>
// CHECK: scf.for %[[STEP:.*]] =
// CHECK: %[[BLOCK:.*]] = kernel.load_scalar %{{.*}}[%[[STEP]]] : <4xi32, smem>
// CHECK: arith.cmpi ne, %[[BLOCK]],
// CHECK: scf.if
// CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]],
// CHECK: kernel.copy %{{.*}} at[%[[ROW]], %{{.*}}] to %{{.*}} sizes = [8, 128]
// CHECK: arith.cmpi ne, %{{.*}}, %c-2147483648
// CHECK: kernel.copy %[[OUT:.*]] to %{{.*}} at[
// CHECK: kernel.map
// CHECK: arith.cmpi ne, %{{.*}}, %c-2147483648
// CHECK: kernel.copy %[[OUT]] to %{{.*}} at[
// CHECK: kernel.return
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
