// RUN: %systole-opt %s --systole-split-complex --split-input-file | FileCheck %s
// RUN: %systole-opt %s --systole-split-complex --systole-split-doubles --split-input-file | FileCheck %s --check-prefix=WORDS

// Parts are f64 first, each two words then, which all are planes of one array.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[A:.*]]: tensor<3xf64> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32}, %[[B:.*]]: tensor<3xf64> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32})
// CHECK-SAME: -> (tensor<3xf64> {kernel.element = complex<f64>}, tensor<3xf64> {kernel.element = complex<f64>})
// CHECK: return %[[B]], %[[A]]
// WORDS-LABEL: @main
// WORDS-SAME: (%[[A:.*]]: tensor<3xui32> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32}, %[[B:.*]]: tensor<3xui32> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32}, %[[C:.*]]: tensor<3xui32> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32}, %[[D:.*]]: tensor<3xui32> {kernel.element = complex<f64>, tf.aliasing_output = 0 : i32})
// WORDS-SAME: -> (tensor<3xui32> {kernel.element = complex<f64>}, tensor<3xui32> {kernel.element = complex<f64>}, tensor<3xui32> {kernel.element = complex<f64>}, tensor<3xui32> {kernel.element = complex<f64>})
// WORDS: return %[[C]], %[[D]], %[[A]], %[[B]]
func.func @main(%x: tensor<3xcomplex<f64>> {tf.aliasing_output = 0 : i32}) -> tensor<3xcomplex<f64>> {
  %re = stablehlo.real %x : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %im = stablehlo.imag %x : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %0 = stablehlo.complex %im, %re : tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}

// -----

// Parts of the other width are converted, and those of real numbers have no imaginary one.
// CHECK-LABEL: @convert
// CHECK-SAME: (%[[A:.*]]: tensor<2xf64> {{.*}}, %[[B:.*]]: tensor<2xf64> {{.*}}, %[[R:.*]]: tensor<2xf32>)
// CHECK-DAG: %[[NA:.*]] = stablehlo.convert %[[A]] : (tensor<2xf64>) -> tensor<2xf32>
// CHECK-DAG: %[[NB:.*]] = stablehlo.convert %[[B]] : (tensor<2xf64>) -> tensor<2xf32>
// CHECK-DAG: %[[WR:.*]] = stablehlo.convert %[[R]] : (tensor<2xf32>) -> tensor<2xf64>
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
// CHECK: return %[[NA]], %[[NB]], %[[WR]], %[[ZERO]]
func.func @convert(%x: tensor<2xcomplex<f64>>, %y: tensor<2xf32>)
    -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f64>>) {
  %0 = stablehlo.convert %x : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f32>>
  %1 = stablehlo.convert %y : (tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return %0, %1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f64>>
}

// -----

// What two parts of a formula share is computed once.
// CHECK-LABEL: @exponential
// CHECK-COUNT-1: stablehlo.exponential
// CHECK-NOT: stablehlo.exponential
func.func @exponential(%x: tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>> {
  %0 = stablehlo.exponential %x : tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}

// -----

// Each word is a transfer of its own.
// WORDS-LABEL: @transfers
// WORDS-SAME: (%[[A:.*]]: tensor<3xui32> {{.*}}, %[[B:.*]]: tensor<3xui32> {{.*}}, %[[C:.*]]: tensor<3xui32> {{.*}}, %[[D:.*]]: tensor<3xui32>
// WORDS: kernel.send %[[A]] to 2 words <0 of complex<f64>>
// WORDS-NEXT: kernel.send %[[B]] to 2 words <1 of complex<f64>>
// WORDS-NEXT: kernel.send %[[C]] to 2 words <2 of complex<f64>>
// WORDS-NEXT: kernel.send %[[D]] to 2 words <3 of complex<f64>>
// WORDS-COUNT-4: kernel.recv 3 words <{{[0-3]}} of complex<f64>> : tensor<3xui32>
func.func @transfers(%x: tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  kernel.send %x to 2 : tensor<3xcomplex<f64>>
  %0 = kernel.recv 3 : tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}
