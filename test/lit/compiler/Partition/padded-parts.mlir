// Dimensions that are not divided evenly have parts with padding.
// RUN: systole-opt --systole-partition --split-input-file %s | FileCheck %s

// Eleven rows on four cores are parts of three. The padding is no element of the maximum.
// CHECK: func.func @main(%[[X:.*]]: tensor<11x8xf32>) -> tensor<8xf32>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [0, 0], high = [1, 0], interior = [0, 0] : {{.*}} -> tensor<12x8xf32>
// CHECK: %[[PART:.*]] = stablehlo.dynamic_slice %[[PADDED]], %{{.*}}, sizes = [3, 8]
// CHECK: %[[Y:.*]] = stablehlo.negate %[[PART]] : tensor<3x8xf32>
// CHECK: %[[ROW:.*]] = stablehlo.iota dim = 0 : tensor<3x8xi32>
// CHECK: %[[LAST:.*]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK: %[[OTHERS:.*]] = stablehlo.constant dense<3> : tensor<i32>
// CHECK: stablehlo.compare LT, %{{.*}}, %[[OTHERS]]
// CHECK: stablehlo.select %{{.*}}, %{{.*}}, %[[LAST]] : tensor<i1>, tensor<i32>
// CHECK: %[[IS:.*]] = stablehlo.compare LT, %[[ROW]], %{{.*}}
// CHECK: %[[LEAST:.*]] = stablehlo.constant dense<0xFF800000> : tensor<3x8xf32>
// CHECK: %[[M:.*]] = stablehlo.select %[[IS]], %[[Y]], %[[LEAST]]
// CHECK: %[[MAX:.*]] = stablehlo.reduce(%[[M]]
// CHECK: "stablehlo.all_reduce"(%[[MAX]])
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<11x8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<11x8xf32>
    %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<11x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// Both factors of a contraction have zeros in place of their padding: infinity times zero is NaN.
// CHECK: %[[A:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xi1>, tensor<4x3xf32>
// CHECK: %[[B:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x5xi1>, tensor<3x5xf32>
// CHECK: stablehlo.dot_general %[[A]], %[[B]]
// CHECK: "stablehlo.all_reduce"
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x5xf32>, %w: tensor<5x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x5xf32>
    %1 = stablehlo.negate %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<5x5xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}

// -----

// An axis moves from a padded dimension to another one; the padding is cut off behind the exchange.
// CHECK: %[[E:.*]] = "stablehlo.all_to_all"({{.*}}: (tensor<3x8xf32>) -> tensor<12x2xf32>
// CHECK: stablehlo.slice %[[E]] [0:11, 0:2]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<11x8xf32>) -> tensor<11x8xf32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<11x8xf32>
    %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<11x8xf32>
    return %1 : tensor<11x8xf32>
  }
}

// -----

// Results have no padding, and a dimension of fewer elements than parts is whole.
// CHECK: kernel.result_parts = [array<i64>]
// CHECK: stablehlo.negate %{{.*}} : tensor<2x3xf32>
// CHECK: "stablehlo.all_gather"({{.*}} -> tensor<8x3xf32>
// CHECK: stablehlo.slice %{{.*}} [0:5, 0:3]
module attributes {mhlo.num_partitions = 16 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=4]>
  func.func @main(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}

// -----

// Where elements are converted by the body of a reduction, no identity of theirs is known.
// CHECK: %[[W:.*]] = stablehlo.slice %{{.*}} [0:11] : (tensor<12xbf16>) -> tensor<11xbf16>
// CHECK: stablehlo.reduce(%[[W]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<11xbf16>) -> tensor<f32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<11xbf16>
    %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %c) across dimensions = [0] : (tensor<11xbf16>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %2 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    return %1 : tensor<f32>
  }
}

// -----

// Eleven rows have parts along the first of two axes, whose parts all have elements.
// CHECK: stablehlo.negate %{{.*}} : tensor<3xf32>
module attributes {mhlo.num_partitions = 16 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=4]>
  func.func @main(%x: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : tensor<11xf32>
    return %0 : tensor<11xf32>
  }
}
