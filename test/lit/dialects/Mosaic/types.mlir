// Types and attributes, in the form in which serialized modules have them.
// RUN: %systole-opt %s | FileCheck %s

// CHECK-LABEL: func.func @memories
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK-SAME: memref<4xi32, #tpu.memory_space<smem>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<hbm>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<any>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<host>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<cmem>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<vmem_shared>>
// CHECK-SAME: memref<8x128xf32, #tpu.memory_space<vmem, sc_vector_subcore>>
func.func @memories(%a: memref<8x128xf32, #tpu.memory_space<vmem>>, %b: memref<4xi32, #tpu.memory_space<smem>>,
                    %c: memref<8x128xf32, #tpu.memory_space<hbm>>, %d: memref<8x128xf32, #tpu.memory_space<any>>,
                    %e: memref<8x128xf32, #tpu.memory_space<host>>, %f: memref<8x128xf32, #tpu.memory_space<cmem>>,
                    %g: memref<8x128xf32, #tpu.memory_space<vmem_shared>>,
                    %h: memref<8x128xf32, #tpu.memory_space<vmem, sc_vector_subcore>>) {
  return
}

// CHECK-LABEL: func.func @semaphores
// CHECK-SAME: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK-SAME: memref<3x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @semaphores(%a: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>,
                      %b: memref<3x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  return
}

// CHECK-LABEL: func.func @layouts
// CHECK-SAME: memref<8x256xbf16, #tpu.tiled<(8,128)(2,1), [2, 1]>, #tpu.memory_space<vmem>>
// CHECK-SAME: memref<16xi32, #tpu.tiled<, [1]>, #tpu.memory_space<smem>>
func.func @layouts(%a: memref<8x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>,
                   %b: memref<16xi32, #tpu.tiled<,[1]>, #tpu.memory_space<smem>>) {
  return
}

// CHECK-LABEL: func.func @floats
// CHECK-SAME: vector<8x128x!tpu.float8_exmy<f8E4M3FN>>
func.func @floats(%a: vector<8x128x!tpu.float8_exmy<f8E4M3FN>>) {
  return
}

// CHECK-LABEL: func.func @attributes
// CHECK-SAME: a = #tpu.core_type<tc>
// CHECK-SAME: b = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>]
// CHECK-SAME: c = [#tpu.pipeline_mode<synchronous>, #tpu.pipeline_mode<double_buffered>]
// CHECK-SAME: d = [#tpu.revisit_mode<immediate>, #tpu.revisit_mode<any>]
// CHECK-SAME: e = #tpu.element_window<[0, 1], [2, 3]>
// CHECK-SAME: f = [#tpu.contract_precision<bf16>, #tpu.contract_precision<fp32>]
// CHECK-SAME: g = #tpu.dot_dimension_numbers<[1], [0], [0], [], [0, 0], [], []>
// CHECK-SAME: h = [#tpu.pack_format<compressed>, #tpu.pack_format<interleaved>]
// CHECK-SAME: i = [#tpu.rounding_mode<towards_zero>, #tpu.rounding_mode<to_nearest_even>]
// CHECK-SAME: j = [#tpu.reduction_kind<sum>, #tpu.reduction_kind<find_first_set>]
func.func @attributes() attributes {
    a = #tpu.core_type<tc>,
    b = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>,
         #tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>],
    c = [#tpu.pipeline_mode<synchronous>, #tpu.pipeline_mode<double_buffered>],
    d = [#tpu.revisit_mode<immediate>, #tpu.revisit_mode<any>], e = #tpu.element_window<[0, 1],[2, 3]>,
    f = [#tpu.contract_precision<bf16>, #tpu.contract_precision<fp32>],
    g = #tpu.dot_dimension_numbers<[1], [0], [0], [], [0, 0], [], []>,
    h = [#tpu.pack_format<compressed>, #tpu.pack_format<interleaved>],
    i = [#tpu.rounding_mode<towards_zero>, #tpu.rounding_mode<to_nearest_even>],
    j = [#tpu.reduction_kind<sum>, #tpu.reduction_kind<find_first_set>]} {
  return
}
