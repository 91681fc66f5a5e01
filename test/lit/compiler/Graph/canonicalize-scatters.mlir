// RUN: %systole-opt %s --systole-canonicalize-scatters --systole-simplify --cse --split-input-file | FileCheck %s

// Rows of a table, by index.
// CHECK-LABEL: @rows(
// CHECK: %[[I:.*]] = stablehlo.reshape %arg1 : (tensor<50x1xi32>) -> tensor<50xi32>
// CHECK: %[[R:.*]] = "stablehlo.scatter"(%arg0, %[[I]], %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>
// CHECK: stablehlo.add
// CHECK: return %[[R]]
func.func @rows(%x: tensor<100x80xf32>, %i: tensor<50x1xi32>, %u: tensor<50x80xf32>) -> tensor<100x80xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x80xf32>, tensor<50x1xi32>, tensor<50x80xf32>) -> tensor<100x80xf32>
  return %0 : tensor<100x80xf32>
}

// -----

// Elements at (row, column): rows are numbered, a window's three elements have an index each.
// CHECK-LABEL: @elements(
// CHECK: %[[COLUMN:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x5xi32>) -> tensor<5xi32>
// CHECK: %[[ROW:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x5xi32>) -> tensor<5xi32>
// CHECK: stablehlo.compare GE, %[[ROW]], %c{{.*}} :
// CHECK: stablehlo.compare LE, %[[ROW]], %[[LAST:c.*]] :
// CHECK: %[[IN:.*]] = stablehlo.and
// CHECK: %[[SCALED:.*]] = stablehlo.multiply %[[ROW]], %c{{.*}} : tensor<5xi32>
// CHECK: %[[FLAT:.*]] = stablehlo.add %[[COLUMN]], %[[SCALED]] : tensor<5xi32>
// CHECK: stablehlo.select %{{.*}}, %[[FLAT]], %c{{.*}} : tensor<5xi1>
// CHECK: %[[STEP:.*]] = stablehlo.iota dim = 1 : tensor<5x3xi32>
// CHECK: %[[ALL:.*]] = stablehlo.add %{{.*}}, %[[STEP]] : tensor<5x3xi32>
// CHECK: stablehlo.select %{{.*}}, %[[ALL]], %c{{.*}} : tensor<5x3xi1>
// CHECK: "stablehlo.scatter"({{.*}}) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>
// CHECK: (tensor<800xf32>, tensor<15xi32>, tensor<15xf32>) -> tensor<800xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<800xf32>) -> tensor<100x8xf32>
func.func @elements(%x: tensor<100x8xf32>, %i: tensor<2x5xi32>, %u: tensor<5x3xf32>) -> tensor<100x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<2x5xi32>, tensor<5x3xf32>) -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}

// -----

// Windows are whole along dimension 0, which so becomes the row. 3,000 updates come in chunks.
// CHECK-LABEL: @columns(
// CHECK: %[[U:.*]] = stablehlo.transpose %arg2, dims = [1, 0]
// CHECK: %[[I:.*]] = stablehlo.pad %arg1, %c{{.*}}, low = [0], high = [72], interior = [0] : (tensor<3000xi32>, tensor<i32>) -> tensor<3072xi32>
// CHECK: %[[X:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK: %[[P:.*]] = stablehlo.pad %[[U]], %{{.*}}, low = [0, 0], high = [72, 0]
// CHECK: %[[Y:.*]] = "stablehlo.scatter"(%[[X]], %[[I]], %[[P]])
// CHECK: stablehlo.transpose %[[Y]], dims = [1, 0] : (tensor<100x60xf32>) -> tensor<60x100xf32>
func.func @columns(%x: tensor<60x100xf32>, %i: tensor<3000xi32>, %u: tensor<60x3000xf32>) -> tensor<60x100xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<60x100xf32>, tensor<3000xi32>, tensor<60x3000xf32>) -> tensor<60x100xf32>
  return %0 : tensor<60x100xf32>
}

// -----

// One element of each row: a selection.
// CHECK-LABEL: @labels(
// CHECK: %[[I:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<64xi32>) -> tensor<64x10xi32>
// CHECK: %[[N:.*]] = stablehlo.iota dim = 1 : tensor<64x10xi32>
// CHECK: %[[HERE:.*]] = stablehlo.compare EQ, %[[N]], %[[I]]
// CHECK: %[[U:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [0]
// CHECK: %[[S:.*]] = stablehlo.add %arg0, %[[U]]
// CHECK: %[[Y:.*]] = stablehlo.select %[[HERE]], %[[S]], %arg0
// CHECK-NEXT: return %[[Y]]
func.func @labels(%x: tensor<64x10xf32>, %i: tensor<64x1xi32>, %u: tensor<64xf32>) -> tensor<64x10xf32> {
  %n = stablehlo.iota dim = 0 : tensor<64x1xi32>
  %c = stablehlo.concatenate %n, %i, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
  %0 = "stablehlo.scatter"(%x, %c, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x10xf32>, tensor<64x2xi32>, tensor<64xf32>) -> tensor<64x10xf32>
  return %0 : tensor<64x10xf32>
}

// -----

// Every third row from the second on: static indices.
// CHECK-LABEL: @strided(
// CHECK: %[[ONES:.*]] = stablehlo.pad %{{.*}}, low = [1, 0], high = [6, 0], interior = [2, 0]
// CHECK: %[[HERE:.*]] = stablehlo.compare NE, %[[ONES]], %
// CHECK: %[[U:.*]] = stablehlo.pad %arg1, %{{.*}}, low = [1, 0], high = [6, 0], interior = [2, 0]
// CHECK: %[[P:.*]] = stablehlo.multiply %arg0, %[[U]]
// CHECK: %[[Y:.*]] = stablehlo.select %[[HERE]], %[[P]], %arg0
// CHECK-NEXT: return %[[Y]]
func.func @strided(%x: tensor<20x4xf32>, %u: tensor<5x4xf32>) -> tensor<20x4xf32> {
  %n = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %three = stablehlo.constant dense<3> : tensor<5x1xi32>
  %one = stablehlo.constant dense<1> : tensor<5x1xi32>
  %m = stablehlo.multiply %three, %n : tensor<5x1xi32>
  %i = stablehlo.add %one, %m : tensor<5x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<20x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<20x4xf32>
  return %0 : tensor<20x4xf32>
}

// -----

// One window at a computed position.
// CHECK-LABEL: @window(
// CHECK: %[[I:.*]] = stablehlo.reshape %arg1 : (tensor<1xi32>) -> tensor<i32>
// CHECK: stablehlo.compare GE, %[[I]], %c
// CHECK: stablehlo.compare LE, %[[I]], %c
// CHECK: %[[OLD:.*]] = stablehlo.dynamic_slice %arg0, %[[I]], %c{{.*}}, sizes = [3, 8]
// CHECK: %[[NEW:.*]] = stablehlo.maximum %[[OLD]], %arg2
// CHECK: %[[W:.*]] = stablehlo.select %{{.*}}, %[[NEW]], %[[OLD]]
// CHECK: stablehlo.dynamic_update_slice %arg0, %[[W]], %[[I]], %c
func.func @window(%x: tensor<100x8xf32>, %i: tensor<1xi32>, %u: tensor<3x8xf32>) -> tensor<100x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<1xi32>, tensor<3x8xf32>) -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}

// -----

// An out-of-bounds window is dropped; so are empty updates.
// CHECK-LABEL: @nothing(
// CHECK-NEXT: return %arg0, %arg0
func.func @nothing(%x: tensor<10x8xf32>, %u: tensor<3x8xf32>, %none: tensor<0x8xf32>, %places: tensor<0xi32>) -> (tensor<10x8xf32>, tensor<10x8xf32>) {
  %i = stablehlo.constant dense<8> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x8xf32>, tensor<1xi32>, tensor<3x8xf32>) -> tensor<10x8xf32>
  %1 = "stablehlo.scatter"(%x, %places, %none) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x8xf32>, tensor<0xi32>, tensor<0x8xf32>) -> tensor<10x8xf32>
  return %0, %1 : tensor<10x8xf32>, tensor<10x8xf32>
}

// -----

// Few elements look for their updates: the sum of none is -0.
// CHECK-LABEL: @sums
// CHECK-DAG: %[[HERE:.*]] = stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<8x1x1000xi32>, tensor<8x1x1000xi32>)
// CHECK-DAG: stablehlo.constant dense<-0.000000e+00>
// CHECK: stablehlo.select %[[HERE]]
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK-NOT: stablehlo.scatter
func.func @sums(%x: tensor<8xf32>, %i: tensor<1000xi32>, %u: tensor<1000xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<1000xi32>, tensor<1000xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Sums of bf16 are rounded after each update, in their order.
// CHECK-LABEL: @rounded
// CHECK: "stablehlo.scatter"
func.func @rounded(%x: tensor<8xbf16>, %i: tensor<1000xi32>, %u: tensor<1000xbf16>) -> tensor<8xbf16> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<8xbf16>, tensor<1000xi32>, tensor<1000xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}
