// A segment's operations become stages: what a value is computed from may be replaced by it where nothing else reads
// it, and a value that has been stored in a ref is read there.
// RUN: %systole-opt %s --systole-lower-mosaic | FileCheck %s

// CHECK-LABEL: kernel.func @scale grid (%{{.*}} = 4)
// CHECK-SAME: #kernel.operand<in, block = [8, 256], map = (d0) -> (d0, 0)>
// CHECK-SAME: #kernel.operand<out, block = [8, 256], map = (d0) -> (d0, 0)>
// CHECK-SAME: kernel.mosaic, kind = "pallas"
// CHECK: %[[SUM:.*]] = kernel.alloc persistent : <8x256xf32, vmem>
// CHECK: scf.if
// CHECK: kernel.map ins() outs(%[[SUM]]
// CHECK: kernel.map ins(%[[SUM]], %[[X:.*]], %[[Y:.*]] : {{.*}}) outs(%[[SUM]] :
// CHECK: stablehlo.multiply
// CHECK-NEXT: stablehlo.add
// CHECK: kernel.copy %[[SUM]] to %{{.*}} sizes = [8, 256]
// The loop that JAX writes for what steps of 1 leave has no iteration.
// CHECK-NOT: kernel.copy
// CHECK-NOT: scf.for
// CHECK: kernel.return
func.func @main(%x: tensor<32x256xf32>, %y: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %0 = kernel.mosaic_call @scale(%x, %y) aliases = [-1] : (tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
  return %0 : tensor<32x256xf32>
}
module @scale {
  func.func @body(%i: i32, %x: memref<8x256xf32, #tpu.memory_space<vmem>>, %y: memref<8x256xf32, #tpu.memory_space<vmem>>, %out: memref<8x256xf32, #tpu.memory_space<vmem>>, %sum: memref<8x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @rows, window_bounds = array<i64: 8, 256>}, {transform_indices = @rows, window_bounds = array<i64: 8, 256>}, {transform_indices = @rows, window_bounds = array<i64: 8, 256>}]} {
    %zero = arith.constant 0 : index
    %first = arith.constant 0 : i32
    %is_first = arith.cmpi eq, %i, %first : i32
    scf.if %is_first {
      %none = arith.constant dense<0.0> : vector<8x256xf32>
      tpu.vector_store %none, %sum, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x256xf32>, memref<8x256xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    }
    %a = vector.load %x[%zero, %zero] : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>
    %b = vector.load %y[%zero, %zero] : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>
    %c = arith.mulf %a, %b : vector<8x256xf32>
    %old = vector.load %sum[%zero, %zero] : memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8x256xf32>
    %new = arith.addf %old, %c : vector<8x256xf32>
    tpu.vector_store %new, %sum, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x256xf32>, memref<8x256xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    tpu.vector_store %new, %out, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x256xf32>, memref<8x256xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    %one = arith.constant 1 : i32
    %whole = arith.divsi %i, %one : i32
    %steps = arith.muli %whole, %one : i32
    %rest = scf.for %k = %steps to %i step %one iter_args(%last = %i) -> (i32) : i32 {
      scf.yield %k : i32
    }
    return
  }
  func.func @rows(%i: i32) -> (i32, i32) {
    %zero = arith.constant 0 : i32
    return %i, %zero : i32, i32
  }
}
