// Forms of operations in older versions.
// RUN: %python %S/Inputs/read.py %s | FileCheck %s

// CHECK: module {{[0-9]+}}:
// CHECK: tpu.enqueue_dma %arg0, %arg0, %arg1 {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>}
// CHECK: tpu.enqueue_dma %arg0, %arg1, %arg0, %arg1, %c1_i32 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}
// CHECK: tpu.wait_dma2 %arg1, %arg0, %arg0 {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
// CHECK: tpu.wait_dma2 %arg1, %arg0, %arg0 {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
// CHECK: tpu.sem_signal %arg2, %c1_i32 {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
// CHECK: tpu.sem_signal %arg2, %c1_i32, %c1_i32 {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
// CHECK: tpu.iota {dimensions = array<i32: 1>}
// CHECK: tpu.dynamic_gather %{{.*}}, %{{.*}} {dimensions = array<i32: 1>}
// CHECK: vector.multi_reduction <maximumf>, %{{.*}}, %{{.*}} [1]
// CHECK: tpu.reinterpret_cast %arg0 {operandSegmentSizes = array<i32: 1, 0, 0>}
// CHECK: tpu.store
// CHECK: arith.constant dense<[true, false, true]> : vector<3xi1>
module attributes {stable_mosaic.version = 1 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.enqueue_dma"(%m, %m, %d) : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.tpu.enqueue_dma"(%m, %d, %m, %d, %n) : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, i32) -> ()
    "stable_mosaic.tpu.wait_dma"(%d, %m) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.tpu.wait_dma2"(%d, %m, %m) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.tpu.sem_signal"(%s, %n) : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32) -> ()
    "stable_mosaic.tpu.sem_signal"(%s, %n, %n) : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32, i32) -> ()
    %0 = "stable_mosaic.tpu.iota"() {dimension = 1 : i32} : () -> vector<8x128xi32>
    %1 = "stable_mosaic.tpu.dynamic_gather"(%x, %i) {dimension = 1 : i32} : (vector<8x128xf32>, vector<8x128xi32>) -> vector<8x128xf32>
    %2 = "stable_mosaic.vector.multi_reduction"(%x, %a) {kind = #vector.kind<maximumf>, reduction_dims = [1]} : (vector<8x128xf32>, vector<8xf32>) -> vector<8xf32>
    %3 = "stable_mosaic.tpu.reinterpret_cast"(%m) : (memref<8x128xf32, #tpu.memory_space<vmem>>) -> memref<1024xf32, #tpu.memory_space<vmem>>
    "stable_mosaic.tpu.store"(%x, %m, %z, %z) {operandSegmentSizes = array<i32: 1, 1, 2, 0>, sublane_mask = array<i1: true>, sublane_stride = 1 : i32} : (vector<8x128xf32>, memref<8x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    %b = "stable_mosaic.arith.constant"() {value = dense<[true, false, true]> : vector<3xi1>} : () -> vector<3xi1>
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: tpu.enqueue_dma %arg0, %arg0, %arg1 {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>}
// CHECK: tpu.sem_signal %arg2, %c1_i32, %c1_i32 {operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}
// CHECK: tpu.wait_dma %arg0, %arg0, %arg1 {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, wait_target = true}
// CHECK: tpu.reinterpret_cast %arg0, %c1_i32 {operandSegmentSizes = array<i32: 1, 1, 0>}
module attributes {stable_mosaic.version = 11 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.enqueue_dma"(%m, %m, %d) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>, priority = 0 : i32, strict_ordering = false} : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.tpu.sem_signal"(%s, %n, %n) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32, i32) -> ()
    "stable_mosaic.tpu.wait_dma"(%m, %m, %d) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>, wait_target = true} : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    %0 = "stable_mosaic.tpu.reinterpret_cast"(%m, %n) : (memref<8x128xf32, #tpu.memory_space<vmem>>, i32) -> memref<1024xf32, #tpu.memory_space<vmem>>
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.enqueue_dma' of an older version expects 3 or 5 operands, found 2
module attributes {stable_mosaic.version = 1 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.enqueue_dma"(%m, %m) : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.enqueue_dma' of an older version expects 6 sizes of operands' segments
module attributes {stable_mosaic.version = 11 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.enqueue_dma"(%m, %m, %d) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0>} : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.sem_signal' of an older version expects 2 or 3 operands, found 1
module attributes {stable_mosaic.version = 1 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.sem_signal"(%s) : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.wait_dma2' of an older version expects 3 operands, found 2
module attributes {stable_mosaic.version = 6 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.wait_dma2"(%d, %m) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.reinterpret_cast' of an older version expects 1 or 2 operands, found 0
module attributes {stable_mosaic.version = 14 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %0 = "stable_mosaic.tpu.reinterpret_cast"() : () -> memref<1024xf32, #tpu.memory_space<vmem>>
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.iota' of an older version expects a dimension of type i32
module attributes {stable_mosaic.version = 5 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %0 = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>} : () -> vector<8x128xi32>
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'vector.multi_reduction' of an older version expects reduction_dims of type i64
module attributes {stable_mosaic.version = 2 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %0 = "stable_mosaic.vector.multi_reduction"(%x, %a) {kind = #vector.kind<add>, reduction_dims = ["1"]} : (vector<8x128xf32>, vector<8xf32>) -> vector<8xf32>
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK: {{.*}}:9:{{[0-9]+}}: error: 'tpu.enqueue_dma' size mismatch in attribute conversion: 6 vs 7
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):
    %n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %i = "stable_mosaic.arith.constant"() {value = dense<1> : vector<8x128xi32>} : () -> vector<8x128xi32>
    %a = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8xf32>} : () -> vector<8xf32>
    %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    "stable_mosaic.tpu.enqueue_dma"(%m, %m, %d) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>} : (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "kernel"} : () -> ()
}
