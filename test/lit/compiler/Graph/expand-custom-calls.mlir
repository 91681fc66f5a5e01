// RUN: %systole-opt %s --systole-expand-custom-calls | FileCheck %s

// The matrix is transposed while each of the two reflectors is computed and applied.
// CHECK-LABEL: @factor
// CHECK-SAME: %[[X:.*]]: tensor<2x5x3xf32>
// CHECK: %[[ROWS:.*]] = stablehlo.transpose %[[X]], dims = [0, 2, 1]
// CHECK: %[[LOOP:.*]]:3 = stablehlo.while({{.*}} = %[[ROWS]], {{.*}}) : tensor<i32>, tensor<2x3x5xf32>, tensor<2x3xf32>
// CHECK: cond
// CHECK: stablehlo.constant dense<3> : tensor<i32>
// CHECK: stablehlo.compare LT
// CHECK: do
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [2, 1, 5]
// CHECK: stablehlo.sqrt
// CHECK: %[[Q:.*]] = stablehlo.transpose %[[LOOP]]#1, dims = [0, 2, 1]
// CHECK: return %[[Q]], %[[LOOP]]#2
func.func @factor(%x: tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>) {
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>)
  return %r#0, %r#1 : tensor<2x5x3xf32>, tensor<2x3xf32>
}

// An image [n, h, w, c] is multiplied by weights along h, then along w.
// CHECK-LABEL: @resize
// CHECK: %[[H:.*]] = stablehlo.dot_general %arg0, %{{.*}}, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x3xf32>, tensor<8x4xf32>) -> tensor<1x5x3x8xf32>
// CHECK: %[[W:.*]] = stablehlo.dot_general %[[H]], %{{.*}}, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<1x5x3x8xf32>, tensor<10x5xf32>) -> tensor<1x3x8x10xf32>
// CHECK: stablehlo.transpose %[[W]], dims = [0, 2, 3, 1]
func.func @resize(%x: tensor<1x4x5x3xf32>) -> tensor<1x8x10x3xf32> {
  %0 = stablehlo.custom_call @ResizeBilinear(%x) {backend_config = "\2201\22"} : (tensor<1x4x5x3xf32>) -> tensor<1x8x10x3xf32>
  return %0 : tensor<1x8x10x3xf32>
}

// A single matrix is a batch of one; the last of the two reflectors comes first.
// CHECK-LABEL: @multiply
// CHECK: %[[A:.*]] = stablehlo.transpose %{{.*}}, dims = [0, 2, 1] : (tensor<1x5x3xf32>) -> tensor<1x3x5xf32>
// CHECK: %[[ONE:.*]] = stablehlo.select
// CHECK: %[[LOOP:.*]]:2 = stablehlo.while({{.*}}, {{.*}} = %[[ONE]])
// CHECK: do
// CHECK: stablehlo.add %[[I:.*]], %{{.*}} : tensor<i32>
// CHECK: %[[LAST:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %[[J:.*]] = stablehlo.subtract %[[LAST]], %[[I]] : tensor<i32>
// CHECK: stablehlo.dynamic_slice %[[A]], %{{.*}}, %[[J]], %{{.*}}, sizes = [1, 1, 5]
func.func @multiply(%x: tensor<5x3xf32>, %t: tensor<2xf32>) -> tensor<5x3xf32> {
  %r = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%x, %t) : (tensor<5x3xf32>, tensor<2xf32>) -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}
