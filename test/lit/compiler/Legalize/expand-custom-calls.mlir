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

// Four quadrants and two halves of the eigenvectors are loop-carried; a sweep of five rows with one
// of zeros has five rounds. The rows are sorted by the eigenvalues.
// CHECK-LABEL: @eigenpairs
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.pad {{.*}} -> tensor<1x6x6xf32>
// CHECK: %[[SWEEPS:.*]]:8 = stablehlo.while
// CHECK: cond
// CHECK: stablehlo.constant dense<100> : tensor<i32>
// CHECK: do
// CHECK: stablehlo.while
// CHECK: cond
// CHECK: stablehlo.constant dense<5> : tensor<i32>
// CHECK: do
// CHECK: stablehlo.rsqrt %{{.*}} : tensor<1x3xf32>
// CHECK: %[[SORTED:.*]]:2 = "stablehlo.sort"
// CHECK: stablehlo.gather
// CHECK-NOT: stablehlo.custom_call
func.func @eigenpairs(%x: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5xf32>) {
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,1e-6"} : (tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5xf32>)
  return %v, %w : tensor<5x5xf32>, tensor<5xf32>
}

// The other triangle, ten sweeps at most and no sort.
// CHECK-LABEL: @upper
// CHECK: stablehlo.compare LE
// CHECK: stablehlo.constant dense<10> : tensor<i32>
// CHECK-NOT: stablehlo.sort
// CHECK: return
func.func @upper(%x: tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4xf32>) {
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "0,0,10,1e-6"} : (tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4xf32>)
  return %v, %w : tensor<4x4xcomplex<f32>>, tensor<4xf32>
}

// The first element of each of 128 bins, then a sort of these. The comparator is gone.
// CHECK-LABEL: @nearest
// CHECK: stablehlo.pad %arg0, {{.*}} high = [0, 24]
// CHECK: stablehlo.reduce({{.*}} across dimensions = [1] : (tensor<3x8x128xf32>, tensor<3x8x128xi32>, tensor<f32>, tensor<i32>)
// CHECK: stablehlo.compare GT, %[[SECOND:.*]], %[[FIRST:.*]] : (tensor<f32>
// CHECK-NEXT: stablehlo.select %{{.*}}, %[[SECOND]], %[[FIRST]]
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.slice {{.*}} -> tensor<3x5xf32>
// CHECK: return
// CHECK-NOT: @larger
func.func @larger(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @nearest(%x: tensor<3x1000xf32>, %i: tensor<3x1000xi32>, %v: tensor<f32>, %n: tensor<i32>) -> (tensor<3x5xf32>, tensor<3x5xi32>) {
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %v, %n) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 5 : i64}} : (tensor<3x1000xf32>, tensor<3x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x5xf32>, tensor<3x5xi32>)
  return %r#0, %r#1 : tensor<3x5xf32>, tensor<3x5xi32>
}

// Memory without elements yet, a layout inside of a program, and something to keep alive.
// CHECK-LABEL: @hints
// CHECK-NEXT: %[[E:.*]] = stablehlo.constant dense<0> : tensor<2x3xi32>
// CHECK-NEXT: return %[[E]], %arg0
func.func @hints(%x: tensor<4xf32>) -> (tensor<2x3xi32>, tensor<4xf32>) {
  %e = stablehlo.custom_call @AllocateBuffer() : () -> tensor<2x3xi32>
  %k = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @dce_sink(%x) {has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> ()
  return %e, %k : tensor<2x3xi32>, tensor<4xf32>
}
