// Tuples, which readers of artifacts flatten: test/e2e/test_artifacts.py compares what is in the folder
// above with jaxlib.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @tuples(
func.func @tuples(%x: tensor<4xf32>, %t: tuple<tensor<i32>, tuple<tensor<2xf32>>>) -> tuple<> {
  // CHECK: %[[T:.*]] = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, tuple<tensor<i32>, tuple<tensor<2xf32>>>>
  %0 = stablehlo.tuple %x, %t : tuple<tensor<4xf32>, tuple<tensor<i32>, tuple<tensor<2xf32>>>>
  // CHECK: stablehlo.get_tuple_element %[[T]][1] : (tuple<tensor<4xf32>, tuple<tensor<i32>, tuple<tensor<2xf32>>>>) -> tuple<tensor<i32>, tuple<tensor<2xf32>>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tuple<tensor<i32>, tuple<tensor<2xf32>>>>) -> tuple<tensor<i32>, tuple<tensor<2xf32>>>
  // CHECK: stablehlo.tuple{{ *}}: tuple<>
  %2 = stablehlo.tuple : tuple<>
  %q = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  // CHECK: stablehlo.tuple %{{.*}} : tuple<tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>>
  %3 = stablehlo.tuple %q : tuple<tensor<2x!quant.uniform<i8:f32, 0.5>>>
  return %2 : tuple<>
}
