// RUN: %systole-opt %s --systole-expand-broadcasts --systole-split-complex --split-input-file | FileCheck %s

// Arguments and results are two planes of f32; a product is four real ones.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[A:.*]]: tensor<3xf32> {kernel.element = complex<f32>, tf.aliasing_output = 0 : i32}, %[[B:.*]]: tensor<3xf32> {kernel.element = complex<f32>, tf.aliasing_output = 0 : i32}, %[[C:.*]]: tensor<3xf32> {kernel.element = complex<f32>}, %[[D:.*]]: tensor<3xf32> {kernel.element = complex<f32>})
// CHECK-SAME: -> (tensor<3xf32> {kernel.element = complex<f32>}, tensor<3xf32> {kernel.element = complex<f32>})
// CHECK-DAG: %[[AC:.*]] = stablehlo.multiply %[[A]], %[[C]]
// CHECK-DAG: %[[BD:.*]] = stablehlo.multiply %[[B]], %[[D]]
// CHECK-DAG: %[[RE:.*]] = stablehlo.subtract %[[AC]], %[[BD]]
// CHECK-DAG: %[[AD:.*]] = stablehlo.multiply %[[A]], %[[D]]
// CHECK-DAG: %[[BC:.*]] = stablehlo.multiply %[[B]], %[[C]]
// CHECK-DAG: %[[IM:.*]] = stablehlo.add %[[AD]], %[[BC]]
// CHECK: return %[[RE]], %[[IM]]
func.func @main(%x: tensor<3xcomplex<f32>> {tf.aliasing_output = 0 : i32},
                %y: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.multiply %x, %y : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

// Without complex numbers nothing changes.
// CHECK-LABEL: @real
// CHECK-NEXT: stablehlo.real %{{.*}} : tensor<3xf32>
func.func @real(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.real %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Parts are taken and put together without an operation; a constant is two.
// CHECK-LABEL: @parts
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32> {{.*}}, %[[B:.*]]: tensor<2xf32>
// CHECK-DAG: %[[ONE:.*]] = stablehlo.constant dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[TWO:.*]] = stablehlo.constant dense<[2.000000e+00, -0.000000e+00]> : tensor<2xf32>
// CHECK: return %[[B]], %[[A]], %[[ONE]], %[[TWO]]
func.func @parts(%x: tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %re = stablehlo.real %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %im = stablehlo.imag %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %0 = stablehlo.complex %im, %re : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(1.0, 2.0), (3.0, -0.0)]> : tensor<2xcomplex<f32>>
  return %0, %1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// -----

// Parts of several shapes are broadcast, and so are complex numbers.
// CHECK-LABEL: @broadcasts
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
// CHECK-COUNT-2: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
// CHECK-COUNT-2: stablehlo.add
func.func @broadcasts(%x: tensor<2xf32>, %y: tensor<f32>, %z: tensor<3x2xcomplex<f32>>)
    -> tensor<3x2xcomplex<f32>> {
  %0 = chlo.broadcast_complex %x, %y : (tensor<2xf32>, tensor<f32>) -> tensor<2xcomplex<f32>>
  %1 = chlo.broadcast_add %0, %z
      : (tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  return %1 : tensor<3x2xcomplex<f32>>
}

// -----

// Planes move alike; an index moves both.
// CHECK-LABEL: @movement
// CHECK: %[[A:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: %[[B:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.dynamic_slice %[[A]], %[[I:.*]], %[[I]], sizes = [1, 2]
// CHECK: stablehlo.dynamic_slice %[[B]], %[[I]], %[[I]], sizes = [1, 2]
func.func @movement(%x: tensor<2x3xcomplex<f32>>, %i: tensor<i32>) -> tensor<1x2xcomplex<f32>> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %1 = stablehlo.dynamic_slice %0, %i, %i, sizes = [1, 2]
      : (tensor<3x2xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x2xcomplex<f32>>
  return %1 : tensor<1x2xcomplex<f32>>
}

// -----

// A sum is two sums, a product one reduction of both parts.
// CHECK-LABEL: @reductions
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
// CHECK-NOT: applies
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0]
// CHECK: reducer
// CHECK-COUNT-4: stablehlo.multiply
func.func @reductions(%x: tensor<5xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<complex<f32>>) {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0]
      : (tensor<5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0, %1 : tensor<complex<f32>>, tensor<complex<f32>>
}

// -----

// The comparator of a sort takes pairs of each plane.
// CHECK-LABEL: @sort
// CHECK: "stablehlo.sort"(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %[[I:.*]]: tensor<i32>, %[[J:.*]]: tensor<i32>):
// CHECK: stablehlo.compare LT, %[[A]], %[[B]]
func.func @sort(%x: tensor<5xcomplex<f32>>, %y: tensor<5xi32>) -> (tensor<5xcomplex<f32>>, tensor<5xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>, %i: tensor<i32>, %j: tensor<i32>):
    %c = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %d = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %p = stablehlo.compare LT, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<5xcomplex<f32>>, tensor<5xi32>) -> (tensor<5xcomplex<f32>>, tensor<5xi32>)
  return %0#0, %0#1 : tensor<5xcomplex<f32>>, tensor<5xi32>
}

// -----

// The halves of a loop's values, and of what it computes.
// CHECK-LABEL: @loop
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>
func.func @loop(%x: tensor<complex<f32>>, %n: tensor<i32>) -> tensor<complex<f32>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<complex<f32>>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %square = stablehlo.multiply %z, %z : tensor<complex<f32>>
    stablehlo.return %next, %square : tensor<i32>, tensor<complex<f32>>
  }
  return %r#1 : tensor<complex<f32>>
}

// -----

// Four real contractions, with the precision of the complex one.
// CHECK-LABEL: @dot
// CHECK-COUNT-4: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @dot(%x: tensor<2x3xcomplex<f32>>, %y: tensor<3x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
      : (tensor<2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  return %0 : tensor<2x4xcomplex<f32>>
}

// -----

// Real numbers have no imaginary parts to transform, and a spectrum keeps half.
// CHECK-LABEL: @rfft
// CHECK-COUNT-2: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
// CHECK-NOT: dot_general
// CHECK: stablehlo.slice %{{.*}} [0:3, 0:5]
// CHECK: stablehlo.slice %{{.*}} [0:3, 0:5]
func.func @rfft(%x: tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}

// -----

// Roots of unity are those of f64.
// CHECK-LABEL: @fourier
// CHECK-DAG: stablehlo.constant dense<{{.*}}-5.000000e-01{{.*}}> : tensor<3x3xf64>
// CHECK-DAG: stablehlo.constant dense<{{.*}}0.86602540378443{{[0-9]+}}{{.*}}> : tensor<3x3xf64>
func.func @fourier(%x: tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = FFT, length = [3] : (tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}
