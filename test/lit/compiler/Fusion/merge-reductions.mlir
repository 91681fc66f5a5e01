// RUN: %systole-opt %s --systole-merge-reductions | FileCheck %s

// The squares are computed behind the first sum, and move in front of it.
// CHECK-LABEL: @moments
// CHECK-SAME: (%[[X:.*]]: tensor<64x128xf32>)
// CHECK: %[[SQUARES:.*]] = stablehlo.multiply %[[X]], %[[X]]
// CHECK: %[[SUMS:.*]]:2 = stablehlo.reduce(%[[X]] init: {{.*}}), (%[[SQUARES]] init: {{.*}}) across dimensions = [0]
// CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>)
// CHECK-NOT: stablehlo.reduce
// CHECK: return %[[SUMS]]#0, %[[SUMS]]#1
func.func @moments(%x: tensor<64x128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  %squares = stablehlo.multiply %x, %x : tensor<64x128xf32>
  %second = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %sum, %second : tensor<128xf32>, tensor<128xf32>
}

// The two have the tensor in common through expressions, and different combiners.
// CHECK-LABEL: @range
// CHECK: stablehlo.reduce{{.*}}, {{.*}} across dimensions = [1]
// CHECK: stablehlo.maximum
// CHECK: stablehlo.minimum
func.func @range(%x: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %magnitude = stablehlo.abs %x : tensor<64x128xf32>
  %negative = stablehlo.negate %x : tensor<64x128xf32>
  %max = stablehlo.reduce(%magnitude init: %low) applies stablehlo.maximum across dimensions = [1]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %min = stablehlo.reduce(%negative init: %high) applies stablehlo.minimum across dimensions = [1]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  return %max, %min : tensor<64xf32>, tensor<64xf32>
}

// A softmax's sum depends on its maximum; other dimensions, and other tensors, are other loops; the
// last sum needs a product, which does not move.
// CHECK-LABEL: @apart
// CHECK-COUNT-5: stablehlo.reduce(%{{[^)]*}}) applies
func.func @apart(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>)
    -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
      : (tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>
  %wide = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<128xf32>) -> tensor<128x128xf32>
  %shifted = stablehlo.subtract %x, %wide : tensor<128x128xf32>
  %exp = stablehlo.exponential %shifted : tensor<128x128xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>
  %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>
  %others = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>
  %product = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %weighted = stablehlo.multiply %product, %y : tensor<128x128xf32>
  %late = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>
  %total = stablehlo.add %max, %others : tensor<128xf32>
  return %sum, %columns, %total, %late
      : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
