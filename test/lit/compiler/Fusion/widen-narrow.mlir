// RUN: %systole-opt %s --systole-widen-narrow --split-input-file | FileCheck %s
// RUN: %systole-opt %s --systole-widen-narrow --systole-fuse --split-input-file | FileCheck %s --check-prefix=FUSED

// Planes of three rows of three lane groups: where the second one begins, so does the middle of a row
// of 512 bytes, and a fourth of either would be a quarter of padding. Elementwise work takes all
// 45,009 rows of 128 elements as they lie.
// CHECK-LABEL: @elementwise
// CHECK: %[[X:.*]] = kernel.reinterpret %{{.*}} : tensor<5001x3x300xbf16> to tensor<45009x128xbf16>
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.0{{.*}}> : tensor<45009x128xbf16>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[ONE]] : tensor<45009x128xbf16>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[SUM]] : (tensor<45009x128xbf16>) -> tensor<45009x128xf32>
// CHECK: %[[Y:.*]] = kernel.reinterpret %arg1 : tensor<5001x3x300xf32> to tensor<45009x128xf32>
// CHECK: %[[P:.*]] = stablehlo.multiply %[[WIDE]], %[[Y]] : tensor<45009x128xf32>
// CHECK: kernel.reinterpret %[[P]] : tensor<45009x128xf32> to tensor<5001x3x300xf32>
// FUSED-LABEL: @elementwise
// FUSED-COUNT-1: kernel.fusion "loop"
// FUSED-NOT: kernel.fusion
func.func @elementwise(%x: tensor<5001x3x300xbf16>, %s: tensor<5001x3x300xf32>) -> tensor<5001x3x300xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<5001x3x300xbf16>
  %0 = stablehlo.add %x, %one : tensor<5001x3x300xbf16>
  %1 = stablehlo.convert %0 : (tensor<5001x3x300xbf16>) -> tensor<5001x3x300xf32>
  %2 = stablehlo.multiply %1, %s : tensor<5001x3x300xf32>
  return %2 : tensor<5001x3x300xf32>
}

// -----

// What depends on the place of an element sees it with 32 bits, and makes it so; what two
// of these pass on to each other stays like that. Bits are moved, not values.
// CHECK-LABEL: @places
// CHECK: %[[BITS:.*]] = kernel.reinterpret %arg0 : tensor<5001x3x300xbf16> to tensor<45009x128xi16>
// CHECK: %[[WORDS:.*]] = stablehlo.convert %[[BITS]] : (tensor<45009x128xi16>) -> tensor<45009x128xi32>
// CHECK: %[[WIDE:.*]] = kernel.reinterpret %[[WORDS]] : tensor<45009x128xi32> to tensor<5001x3x300xi32>
// CHECK: %[[MOVED:.*]] = kernel.fusion "loop" (%[[X:.*]] = %[[WIDE]])
// CHECK-NEXT: stablehlo.reverse %[[X]], dims = [2] : tensor<5001x3x300xi32>
// CHECK: %[[SCALED:.*]] = kernel.fusion "loop" (%[[Y:.*]] = %[[MOVED]], %[[SCALE:.*]] = %arg1)
// CHECK-NEXT: %[[LOW:.*]] = stablehlo.convert %[[Y]] : (tensor<5001x3x300xi32>) -> tensor<5001x3x300xi16>
// CHECK-NEXT: %[[NARROW:.*]] = stablehlo.bitcast_convert %[[LOW]]
// CHECK-NEXT: %[[WHOLE:.*]] = stablehlo.broadcast_in_dim %[[SCALE]]
// CHECK-NEXT: stablehlo.multiply %[[NARROW]], %[[WHOLE]] : tensor<5001x3x300xbf16>
// CHECK: kernel.fused {{.*}} tensor<5001x3x300xi32>
// CHECK: %[[BACK:.*]] = kernel.reinterpret %[[SCALED]] : tensor<5001x3x300xi32> to tensor<45009x128xi32>
// CHECK: %[[RESULT:.*]] = stablehlo.convert %[[BACK]] : (tensor<45009x128xi32>) -> tensor<45009x128xi16>
// CHECK: kernel.reinterpret %[[RESULT]] : tensor<45009x128xi16> to tensor<5001x3x300xbf16>
// FUSED-LABEL: @places
// FUSED-COUNT-3: kernel.fusion "loop"
// FUSED-NOT: kernel.fusion
func.func @places(%x: tensor<5001x3x300xbf16>, %scale: tensor<300xbf16>) -> tensor<5001x3x300xbf16> {
  %0 = stablehlo.reverse %x, dims = [2] : tensor<5001x3x300xbf16>
  %1 = stablehlo.broadcast_in_dim %scale, dims = [2] : (tensor<300xbf16>) -> tensor<5001x3x300xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<5001x3x300xbf16>
  return %2 : tensor<5001x3x300xbf16>
}

// -----

// Integers are combined as such.
// FUSED-LABEL: @integers
// CHECK-LABEL: @integers
// CHECK: kernel.fusion
// CHECK: stablehlo.convert %{{.*}} : (tensor<i8>) -> tensor<i32>
// CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [0, 2, 3] : (tensor<5x1001x3x300xi32>, tensor<i32>) -> tensor<1001xi32>
// CHECK: stablehlo.convert %{{.*}} -> tensor<8x128xi8>
func.func @integers(%x: tensor<5x1001x3x300xi8>) -> tensor<1001xi8> {
  %c = stablehlo.constant dense<-128> : tensor<i8>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0, 2, 3] : (tensor<5x1001x3x300xi8>, tensor<i8>) -> tensor<1001xi8>
  return %0 : tensor<1001xi8>
}

// -----

// Where a grid is found nothing happens: rows that are padded to ten lane groups, and planes of four
// rows.
// CHECK-LABEL: @fits
// CHECK-NEXT: stablehlo.reverse
// CHECK-NEXT: stablehlo.reverse
// CHECK-NEXT: return
func.func @fits(%x: tensor<3x1667x1100xbf16>, %y: tensor<5001x4x300xbf16>) -> (tensor<3x1667x1100xbf16>, tensor<5001x4x300xbf16>) {
  %0 = stablehlo.reverse %x, dims = [2] : tensor<3x1667x1100xbf16>
  %1 = stablehlo.reverse %y, dims = [2] : tensor<5001x4x300xbf16>
  return %0, %1 : tensor<3x1667x1100xbf16>, tensor<5001x4x300xbf16>
}

// -----

// A broadcast that leaves the kernels.
// CHECK-LABEL: @leaves
// CHECK: kernel.fusion
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK-NEXT: stablehlo.bitcast_convert
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: kernel.fused
func.func @leaves(%x: tensor<3333xbf16>) -> tensor<3333x3x300xbf16> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3333xbf16>) -> tensor<3333x3x300xbf16>
  return %0 : tensor<3333x3x300xbf16>
}

// -----

// Columns of weights with an odd number of lane groups can be cut, too.
// CHECK-LABEL: @product_of_odd_rows
// CHECK-NEXT: stablehlo.dot_general
func.func @product_of_odd_rows(%x: tensor<8x768xbf16>, %w: tensor<768x50257xbf16>) -> tensor<8x50257xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x768xbf16>, tensor<768x50257xbf16>) -> tensor<8x50257xbf16>
  return %0 : tensor<8x50257xbf16>
}
