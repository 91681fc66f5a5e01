// Kernels that are refused.
// RUN: %python %S/Inputs/read.py %s | FileCheck %s

// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: Mosaic module of version 99; versions up to 15 are known
module attributes {stable_mosaic.version = 99 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: Mosaic module of version 0; versions up to 15 are known
module attributes {stable_mosaic.version = 0 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: a Mosaic module without a version
module attributes {a.b} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: a Mosaic module without a version
module attributes {stable_mosaic.version = "15"} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: operation 'func.func' is not in the form of Mosaic modules, 'stable_mosaic.'
module attributes {stable_mosaic.version = 15 : i64} {
  func.func @main() { return }
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: kernel.py:7:9: error: operation 'tpu.frobnicate' of a Pallas kernel is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.tpu.frobnicate"() : () -> () loc("kernel.py":7:9)
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: kernel.py:7:9: error: operation 'tpu.scan_count' of a Pallas kernel is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.tpu.scan_count"() : () -> () loc("mask"(callsite("kernel.py":7:9 at "main.py":1:1)))
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:3:5: error: operation 'llvm.trap' of a Pallas kernel is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.llvm.trap"() : () -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:4:10: error: attribute 'rounding' of 'arith.addi' is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: i32):
    %0 = "stable_mosaic.arith.addi"(%x, %x) {rounding = 1 : i32} : (i32, i32) -> i32
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:4:10: error: 'arith.cmpi' Invalid attribute `predicate` in property conversion: 77 : i64
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: i32):
    %0 = "stable_mosaic.arith.cmpi"(%x, %x) {predicate = 77 : i64} : (i32, i32) -> i1
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:4:10: error: 'arith.cmpi' Invalid attribute `predicate` in property conversion: "eq"
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: i32):
    %0 = "stable_mosaic.arith.cmpi"(%x, %x) {predicate = "eq"} : (i32, i32) -> i1
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:4:10: error: 'arith.cmpi' op requires attribute 'predicate'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: i32):
    %0 = "stable_mosaic.arith.cmpi"(%x, %x) : (i32, i32) -> i1
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:4:5: error: 'tpu.sem_wait' op operand #0 must be memref of a counter that cores signal and wait for values
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.tpu.sem_wait"(%m, %m) : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:3:5: error: 'arith.constant' Invalid attribute `value` in property conversion
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.arith.constant"() {value = #tpu.core_type<tc>} : () -> i32
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: a Pallas kernel with symbolic sizes is not supported; they have to be numbers when the kernel is lowered
module attributes {stable_mosaic.version = 15 : i64, tpu.dynamic_dimension_mapping_module_2147483647 = ""} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: a Mosaic module without a kernel
module attributes {stable_mosaic.version = 15 : i64} {
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:5:3: error: a Mosaic module with 2 kernels is not supported; 'kernel' and 'other' are kernels
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {tpu.core_type = #tpu.core_type<tc>, function_type = () -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {tpu.core_type = #tpu.core_type<tc>, function_type = () -> (), sym_name = "other"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:1:1: error: a Mosaic module of 2 functions, of which none has the attributes of a kernel
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "other"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: 'cf.assert' op requires a single operand
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.cf.assert"() {msg = ""} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: a Pallas kernel for a SparseCore is not supported; kernels for a TensorCore are
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {tpu.core_type = #tpu.core_type<sc_scalar_subcore>, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has tpu.core_type = "tc", which is no type of core
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {tpu.core_type = "tc", function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects scalar_prefetch of type i64, found 0 : i32
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i32, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects scratch_operands within its 0 arguments, found 1
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scratch_operands = 1 : i64, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects iteration_bounds of integers
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {iteration_bounds = [4 : i64], function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects window_params to be an array
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {tpu.core_type = #tpu.core_type<tc>, window_params = {}, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects a body and no results
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%0) : (i32) -> ()
  }) {tpu.core_type = #tpu.core_type<tc>, function_type = () -> i32, sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects dimension_semantics of each dimension, found "parallel"
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = ["parallel"], iteration_bounds = array<i64: 4>, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has a grid of 2 dimensions and dimension_semantics of 1
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4, 4>, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects bounds of its grid of at least 0, found -4
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: -4>, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects 2 arguments for its grid, scalars, blocks and scratch memory, found 1
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{}], function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects 2 arguments for its grid, scalars, blocks and scratch memory, found 1
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scratch_operands = 1 : i64, function_type = (i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects argument 0 to be an index of type i32, found 'index'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: index):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, function_type = (index) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects argument 1 to be a memref, found 'i32'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: i32):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, function_type = (i32, i32) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects argument 1, which is prefetched, to be in SMEM, found 'memref<8x128xf32, #tpu.memory_space<vmem>>'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, scalar_prefetch = 1 : i64, function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects a dictionary for block 0, found "all"
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = ["all"], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has window_size = 4 : i64 for block 0, which is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = array<i64: 8, 128>, window_size = 4 : i64}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has window_bounds = [8, 128] for block 0, which is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = [8, 128]}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has pipeline_mode = 2 : i64 for block 0, which is not supported
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = array<i64: 8, 128>, pipeline_mode = 2 : i64}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects the sizes of block 0 to be those of 'memref<8x128xf32, #tpu.memory_space<vmem>>', found [4, 128]
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = array<i64: 4, 128>}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects padding of at least 0 of each dimension of block 0, of type 'memref<8x128xf32, #tpu.memory_space<vmem>>', found #tpu.element_window<[0], [0]>
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0], [0]>}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects an index map for block 0, which has sizes
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{window_bounds = array<i64: 8, 128>}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has no index map @nowhere
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @nowhere}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' has no index map @kernel
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @kernel}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects an index map from the grid and prefetched scalars to 2 of i32 for block 0, found @map of type '(i32) -> i32'
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = @map, window_bounds = array<i64: 8, 128>}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i) : (i32) -> ()
  }) {function_type = (i32) -> (i32), sym_name = "map"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: {{.*}}:2:3: error: the kernel 'kernel' expects an index map from 1 dimensions to 2 for block 0, found affine_map<(d0) -> (d0)>
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4>, window_params = [{transform_indices = affine_map<(d0) -> (d0)>}], function_type = (i32, memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "kernel"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%i: i32):
    "stable_mosaic.func.return"(%i, %i) : (i32, i32) -> ()
  }) {function_type = (i32) -> (i32, i32), sym_name = "map"} : () -> ()
}
