// RUN: not systole-opt %s --systole-resolve-constants --split-input-file 2>&1 | FileCheck %s

// CHECK: errors.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: resource 'foo' has no data in this file
func.func @nowhere() {
  %0 = stablehlo.constant dense_resource<foo> : tensor<2xf32>
  return
}

// -----

// CHECK: errors.mlir:{{[0-9]+}}:{{[0-9]+}}: error: resource 'bar' has 4 bytes, but 'tensor<2xf32>' takes 8
func.func @cut() {
  %0 = stablehlo.constant dense_resource<bar> : tensor<2xf32>
  return
}

{-# dialect_resources: { builtin: { bar: "0x040000000000803F" } } #-}
