// RUN: %systole-opt %s --split-input-file --systole-tile-rows --systole-simplify --cse | FileCheck %s

// Elementwise work, vectors of features and scalars on arrays of 64 features.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<8x30x128xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(2,64)}>}
// CHECK-SAME: %[[V:.*]]: tensor<64xf32>
// CHECK: %[[PAIR:.*]] = stablehlo.broadcast_in_dim %[[V]], dims = [1] : (tensor<64xf32>) -> tensor<2x64xf32>
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[PAIR]] : (tensor<2x64xf32>) -> tensor<128xf32>
// CHECK: %[[ROWS:.*]] = stablehlo.broadcast_in_dim %[[ROW]], dims = [2] : (tensor<128xf32>) -> tensor<8x30x128xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[ROWS]] : tensor<8x30x128xf32>
// CHECK: return %[[SUM]]
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>},
    %v: tensor<64xf32> {kernel.entry_layout = #kernel.layout<{0:T(1,128)}>})
    -> (tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %b = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<64xf32>) -> tensor<8x60x64xf32>
  %0 = stablehlo.add %x, %b : tensor<8x60x64xf32>
  return %0 : tensor<8x60x64xf32>
}

// -----

// A sum over rows, as systole-order-sums divides it.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<8x15x128xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(4,32)}>}
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[X]] init: {{.*}} across dimensions = [0, 1] {{.*}} -> tensor<128xf32>
// CHECK: %[[POSITIONS:.*]] = stablehlo.reshape %[[SUM]] : (tensor<128xf32>) -> tensor<4x32xf32>
// CHECK: stablehlo.reduce(%[[POSITIONS]] init: {{.*}} across dimensions = [0]
func.func @main(%x: tensor<8x60x32xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<32xf32> {kernel.entry_layout = #kernel.layout<{0:T(1,128)}>}) {
  %none = stablehlo.constant dense<-0.0> : tensor<f32>
  %p = stablehlo.reshape %x : (tensor<8x60x32xf32>) -> tensor<8x15x4x32xf32>
  %r = stablehlo.reduce(%p init: %none) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [0, 1], tree = 1>} : (tensor<8x15x4x32xf32>, tensor<f32>) -> tensor<4x32xf32>
  %s = stablehlo.reduce(%r init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}

// -----

// Full rows move as they are; padding that takes away rows too.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.pad {{.*}}, low = [1, -1, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<8x30x128xf32>, tensor<f32>) -> tensor<9x31x128xf32>
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<9x62x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %none, low = [1, -2, 0], high = [0, 4, 0], interior = [0, 0, 0] : (tensor<8x60x64xf32>, tensor<f32>) -> tensor<9x62x64xf32>
  return %0 : tensor<9x62x64xf32>
}

// -----

// Parts of rows do not.
// CHECK-LABEL: func.func @main(
// CHECK: %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<8x30x128xf32>) -> tensor<8x60x64xf32>
// CHECK: stablehlo.pad %[[X]], {{.*}}, low = [0, -1, 0], high = [0, 3, 0]
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<8x62x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %none, low = [0, -1, 0], high = [0, 3, 0], interior = [0, 0, 0] : (tensor<8x60x64xf32>, tensor<f32>) -> tensor<8x62x64xf32>
  return %0 : tensor<8x62x64xf32>
}

// -----

// A loop that reads and writes a row in each iteration takes two rows of 128 lanes, never the array.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<150x128xf32>
// CHECK-NOT: stablehlo.reshape {{.*}} : (tensor<150x128xf32>)
// CHECK: stablehlo.dynamic_slice {{.*}}, sizes = [1, 128] : (tensor<150x128xf32>,
// CHECK: stablehlo.dynamic_update_slice {{.*}} : (tensor<150x128xf32>, tensor<1x128xf32>,
func.func @main(%x: tensor<300x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>})
    -> (tensor<300x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<299> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<300x64xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 64] : (tensor<300x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %d = stablehlo.add %row, %row : tensor<1x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.dynamic_update_slice %a, %d, %next, %zero : (tensor<300x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<300x64xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<300x64xf32>
  }
  return %0#1 : tensor<300x64xf32>
}

// -----

// A lookup picks full rows, then one of the two positions in each.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.gather{{.*}}slice_sizes = array<i64: 1, 128>{{.*}}(tensor<150x128xf32>, tensor<7xi32>) -> tensor<7x128xf32>
// CHECK: stablehlo.select
// CHECK-SAME: tensor<7x64xf32>
func.func @main(%x: tensor<300x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>},
    %i: tensor<7xi32> {kernel.entry_layout = #kernel.layout<{0:T(1,128)}>})
    -> (tensor<7x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>}) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<300x64xf32>, tensor<7xi32>) -> tensor<7x64xf32>
  return %0 : tensor<7x64xf32>
}

// -----

// Sums of each row that are broadcast along it: of either position with the other one left out, by an element that
// changes nothing.
// CHECK-LABEL: func.func @main(
// CHECK: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<8x30x128xf32>
// CHECK: %[[E:.*]] = stablehlo.exponential %{{.*}} : tensor<8x30x128xf32>
// CHECK: %[[ONE:.*]] = stablehlo.select %{{.*}}, %[[E]], %[[NONE]]
// CHECK: %[[S1:.*]] = stablehlo.reduce(%[[ONE]] init: {{.*}} across dimensions = [2] : {{.*}} -> tensor<8x30xf32>
// CHECK: %[[TWO:.*]] = stablehlo.select %{{.*}}, %[[E]], %[[NONE]]
// CHECK: %[[S2:.*]] = stablehlo.reduce(%[[TWO]] init: {{.*}} across dimensions = [2] : {{.*}} -> tensor<8x30xf32>
// CHECK-DAG: %[[B1:.*]] = stablehlo.broadcast_in_dim %[[S1]], dims = [0, 1]
// CHECK-DAG: %[[B2:.*]] = stablehlo.broadcast_in_dim %[[S2]], dims = [0, 1]
// CHECK: %[[S:.*]] = stablehlo.select %{{.*}}, %[[B2]], %[[B1]] {kernel.per_row}
// CHECK: stablehlo.divide %[[E]], %[[S]] : tensor<8x30x128xf32>
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x60x64xf32>, tensor<f32>) -> tensor<8x60xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x60xf32>) -> tensor<8x60x64xf32>
  %d = stablehlo.subtract %x, %mb : tensor<8x60x64xf32>
  %e = stablehlo.exponential %d : tensor<8x60x64xf32>
  %s = stablehlo.reduce(%e init: %none) applies stablehlo.add across dimensions = [2] : (tensor<8x60x64xf32>, tensor<f32>) -> tensor<8x60xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<8x60xf32>) -> tensor<8x60x64xf32>
  %r = stablehlo.divide %e, %sb : tensor<8x60x64xf32>
  return %r : tensor<8x60x64xf32>
}

// -----

// What follows from a sum of each row is computed in all lanes of the row, once for all that read it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[S:.*]] = stablehlo.select {{.*}} {kernel.per_row}
// CHECK: %[[M:.*]] = stablehlo.multiply %[[S]], %{{.*}} {kernel.per_row} : tensor<600x128xf32>
// CHECK-DAG: stablehlo.subtract %{{.*}}, %[[M]] : tensor<600x128xf32>
// CHECK-DAG: stablehlo.add %{{.*}}, %[[M]] : tensor<600x128xf32>
// CHECK-NOT: stablehlo.select
func.func @main(%x: tensor<1200x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>})
    -> (tensor<1200x64xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>}) {
  %none = stablehlo.constant dense<-0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [1] : (tensor<1200x64xf32>, tensor<f32>) -> tensor<1200xf32>
  %c = stablehlo.constant dense<0.015625> : tensor<1200x1xf32>
  %r = stablehlo.reshape %s : (tensor<1200xf32>) -> tensor<1200x1xf32>
  %m = stablehlo.multiply %r, %c : tensor<1200x1xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<1200x1xf32>) -> tensor<1200x64xf32>
  %low = stablehlo.subtract %x, %b : tensor<1200x64xf32>
  %high = stablehlo.add %x, %b : tensor<1200x64xf32>
  %p = stablehlo.multiply %low, %high : tensor<1200x64xf32>
  return %p : tensor<1200x64xf32>
}

// -----

// Sums of each row that nothing broadcasts are those of rows that lie apart.
// CHECK-LABEL: func.func @main(
// CHECK: %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<8x30x128xf32>) -> tensor<8x60x64xf32>
// CHECK: stablehlo.reduce(%[[X]]
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<8x60xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>}) {
  %none = stablehlo.constant dense<-0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [2] : (tensor<8x60x64xf32>, tensor<f32>) -> tensor<8x60xf32>
  return %s : tensor<8x60xf32>
}

// -----

// A sum of each row of 32 elements is spread over the lanes of these, four rows side by side, and over those of rows of
// 64 elements, two side by side.
// CHECK-LABEL: func.func @main(
// CHECK: %[[FOUR:.*]] = stablehlo.select {{.*}} {kernel.per_row} : tensor<8x16x128xi1>, tensor<8x16x128xf32>
// CHECK: %[[TWO:.*]] = stablehlo.select {{.*}} {kernel.per_row} : tensor<8x32x128xi1>, tensor<8x32x128xf32>
// CHECK: stablehlo.multiply %arg0, %[[FOUR]] : tensor<8x16x128xf32>
// CHECK: stablehlo.multiply %arg1, %[[TWO]] : tensor<8x32x128xf32>
func.func @main(%x: tensor<8x64x32xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>},
                %y: tensor<8x64x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<8x64x32xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>},
        tensor<8x64x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %none = stablehlo.constant dense<-0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [2] : (tensor<8x64x32xf32>, tensor<f32>) -> tensor<8x64xf32>
  %a = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x32xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x64xf32>
  %p = stablehlo.multiply %x, %a : tensor<8x64x32xf32>
  %q = stablehlo.multiply %y, %b : tensor<8x64x64xf32>
  return %p, %q : tensor<8x64x32xf32>, tensor<8x64x64xf32>
}

// -----

// A slice without elements has no full rows.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<8x30x128xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(2,64)}>}
// CHECK: stablehlo.add %[[X]], %[[X]] : tensor<8x30x128xf32>
// CHECK: return {{.*}} : tensor<8x30x128xf32>, tensor<8x0x64xf32>
func.func @main(%x: tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>})
    -> (tensor<8x60x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>},
        tensor<8x0x64xf32> {kernel.entry_layout = #kernel.layout<{2,1,0:T(1,128)}>}) {
  %0 = stablehlo.add %x, %x : tensor<8x60x64xf32>
  %1 = stablehlo.slice %0 [0:8, 16:16, 0:64] : (tensor<8x60x64xf32>) -> tensor<8x0x64xf32>
  return %0, %1 : tensor<8x60x64xf32>, tensor<8x0x64xf32>
}
