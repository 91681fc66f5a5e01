// Without the shapes of arguments a program must have static ones.
// RUN: systole-opt %s --split-input-file --systole-refine-shapes --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.constant dense<4> : tensor<i32>
func.func @main(%x: tensor<4xf32>) -> tensor<i32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// expected-error@+1 {{argument 0 has sizes that are not known, 'tensor<?xf32>'; give the shapes of the arguments}}
func.func @main(%x: tensor<?xf32>) {
  return
}
