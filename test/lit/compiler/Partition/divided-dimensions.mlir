// Shardings are propagated along dimensions of which a part does not follow from the same part of the operands, or
// is not contiguous: operations take their operands whole there.
// RUN: systole-opt --systole-partition=remarks --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: systole-opt --systole-partition --split-input-file %s | FileCheck %s
// RUN: systole-opt --systole-partition=divide-operations=false --split-input-file %s | FileCheck %s --check-prefix=WHOLE

// One value in different parts: the rows of the one operand are divided, those of the other are whole.
// WHOLE: stablehlo.dot_general %{{.*}} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
// CHECK: func.func @main(
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// 8 is factors of 2 and 4. A division of the minor one alone takes two ranges of the operand: the major one is divided,
// as the operand is, and then the result is brought to the other division.
// CHECK: stablehlo.reshape %{{.*}} : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK: "stablehlo.all_to_all"({{.*}}concat_dimension = 0 : i64, {{.*}} split_dimension = 1 : i64
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// -----

// REMARK: remark: 'stablehlo.convolution' is executed on whole arrays
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<1x1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %k: tensor<1x1x3xf32>) -> (tensor<1x1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x8xf32>
    return %0 : tensor<1x1x8xf32>
  }
}

// -----

// REMARK: remark: 'stablehlo.dynamic_update_slice' is executed on whole arrays
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<4xf32>, %i: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.dynamic_update_slice %x, %u, %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Updates are written at positions within the part: -1 and 8 are positions before and behind the array, which stay
// outside of each part.
// CHECK: func.func @main(
// CHECK: %[[B:.*]] = stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x1xi32>
// CHECK: %[[L:.*]] = stablehlo.subtract %{{.*}}, %{{.*}} : tensor<3x1xi32>
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[L]], %{{.*}}) {{.*}}
// CHECK: (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Rows of other parts are zeros, whose sum with those of this one is the result.
// CHECK: func.func @main(
// CHECK: %[[G:.*]] = "stablehlo.gather"(%{{.*}}) <{{.*}}slice_sizes = array<i64: 1, 65536>{{.*}} : (tensor<4x65536xf32>, tensor<3x1xi32>) -> tensor<3x65536xf32>
// CHECK: %[[M:.*]] = stablehlo.select %{{.*}}, %[[G]], %{{.*}} : tensor<3x65536xi1>, tensor<3x65536xf32>
// CHECK: "stablehlo.all_reduce"(%[[M]])
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8x65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> (tensor<3x65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 65536>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x65536xf32>, tensor<3x1xi32>) -> tensor<3x65536xf32>
    return %0 : tensor<3x65536xf32>
  }
}

// -----

// The contraction is divided: each core has a term, and gets the sum of its part.
// CHECK: func.func @main(
// CHECK: %[[T:.*]] = stablehlo.dot_general %{{.*}} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
// CHECK: "stablehlo.reduce_scatter"(%[[T]]) <{{.*}}scatter_dimension = 0
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<512x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %y: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<512x1024xf32>, tensor<1024x512xf32>) -> tensor<512x512xf32>
    return %0 : tensor<512x512xf32>
  }
}

// -----

// A sum that stays terms until something else needs it; what it begins with is that of the first core.
// CHECK: kernel.result_parts = [array<i64: 4, 0, 0, 0, 1>, array<i64>]
// CHECK: func.func @main(
// CHECK: %[[S:.*]] = stablehlo.select %{{.*}} : tensor<i1>, tensor<f32>
// CHECK: %[[T:.*]] = stablehlo.reduce(%{{.*}} init: %[[S]]) applies stablehlo.add across dimensions = [1]
// CHECK: %[[N:.*]] = stablehlo.negate %[[T]]
// CHECK: %[[A:.*]] = "stablehlo.all_reduce"(%[[N]])
// CHECK: %[[E:.*]] = stablehlo.exponential %[[A]]
// CHECK: return %[[N]], %[[E]]
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %five = stablehlo.constant dense<5.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %five) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xf32>
    %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<4xf32>
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Padding that keeps a dimension's size moves its elements to other parts.
// REMARK: remark: 'stablehlo.pad' is executed on whole arrays
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %x, %zero, low = [-2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// The window is one element, but elements are 2 apart, and every second window is left out.
// REMARK: remark: 'stablehlo.reduce_window' is executed on whole arrays
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 2>, base_dilations = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Of 4 x 6 and 8 x 3 no factor is of 6 and of 3: the second dimension of the operand is gathered.
// REMARK: remark: 'stablehlo.reshape' is executed on whole arrays
// CHECK: func.func @main(
// CHECK: stablehlo.reshape %{{.*}} : (tensor<{{.*}}6xf32>) -> tensor<{{.*}}3xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<8x3xf32>
    return %0 : tensor<8x3xf32>
  }
}

// -----

// The rows are not indexed, so each slice is of the first one, which is on core 0.
// REMARK: remark: 'stablehlo.gather' is executed on whole arrays
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4x8xf32>, tensor<3x1xi32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

// The sum of two rounded numbers may be another than the rounded sum.
// CHECK: func.func @main(
// CHECK: stablehlo.iota dim = 0 : tensor<512xi32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<512xi32>) -> tensor<512xbf16>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> (tensor<1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<1024xbf16>
    return %0 : tensor<1024xbf16>
  }
}

// -----

// A program's own rule that does not fit its operation is not believed.
// REMARK: remark: 'stablehlo.slice' is executed on whole arrays
// CHECK: func.func @main(
// CHECK: stablehlo.slice
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %0 = stablehlo.slice %x [0:4] {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Quotients of integers are those of the sum.
// CHECK: func.func @main(
// CHECK: %[[A:.*]] = "stablehlo.all_reduce"
// CHECK: stablehlo.divide %[[A]],
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %y: tensor<4xi32>) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    %0 = stablehlo.divide %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}

// -----

// Values that pass a barrier stay divided.
// CHECK: func.func @main(
// CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<3xf32>
// CHECK: stablehlo.negate %[[B]]#0 : tensor<4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<3xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3xf32>) {
    %0:2 = stablehlo.optimization_barrier %x, %y : tensor<8xf32>, tensor<3xf32>
    %1 = stablehlo.negate %0#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    return %1, %0#1 : tensor<8xf32>, tensor<3xf32>
  }
}

// -----

// Slices of size 1 along batching dimensions stay so.
// CHECK: func.func @main(
// CHECK: "stablehlo.gather"(%{{.*}}) <{{.*}}slice_sizes = array<i64: 1, 1>{{.*}} : (tensor<2x8xf32>, tensor<2x1xi32>) -> tensor<2xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
