// Types and attributes that Mosaic modules do not have.
// RUN: %python %S/Inputs/read.py %s | FileCheck %s

// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: MLIR's type 16, which Mosaic modules do not contain
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: memref<*xf32>):
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<*xf32>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: MLIR's type 20, which Mosaic modules do not contain
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: vector<[8]xf32>):
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (vector<[8]xf32>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: a memref with a layout other than the identity, strides or tiles
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: memref<8x128xf32, affine_map<(d0, d1) -> (d1, d0)>>):
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<8x128xf32, affine_map<(d0, d1) -> (d1, d0)>>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: type '!kernel.buffer<8x128xf32, vmem>' is not supported in Mosaic modules
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: !kernel.buffer<8x128xf32, vmem>):
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (!kernel.buffer<8x128xf32, vmem>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: a shape of more than 2^48 elements, or with a negative size
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
  ^bb0(%x: memref<1048576x1048576x1048576xf32>):
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, function_type = (memref<1048576x1048576x1048576xf32>) -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: attribute '#stablehlo.bounds<8>' is not supported in Mosaic modules
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, a.b = #stablehlo.bounds<8>, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
// -----
// CHECK: module {{[0-9]+}}:
// CHECK-NEXT: <stdin>:0:0: error: byte {{[0-9]+}}: MLIR's attribute 19, which Mosaic modules do not contain
module attributes {stable_mosaic.version = 15 : i64} {
  "stable_mosaic.func.func"() ({
    "stable_mosaic.func.return"() : () -> ()
  }) {scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, a.b = dense<"x"> : tensor<1x!tpu.semaphore>, function_type = () -> (), sym_name = "kernel"} : () -> ()
}
