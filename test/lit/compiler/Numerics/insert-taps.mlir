// Values that compute floats are sent over channels of their own, and those in wide types behind them.
// RUN: systole-opt --systole-insert-taps %s | FileCheck %s
// RUN: systole-opt --systole-insert-taps="only=0,3" %s | FileCheck %s --check-prefix=ONLY
// RUN: systole-opt --systole-insert-taps="only=4 operands-of=4" %s | FileCheck %s --check-prefix=OPERANDS
// RUN: systole-opt --systole-insert-taps="own" %s | FileCheck %s --check-prefix=OWN
// RUN: systole-opt --systole-insert-taps="own own-type=f64" %s | FileCheck %s --check-prefix=OWN64
// RUN: systole-opt --systole-insert-taps="wide=f32" %s | FileCheck %s --check-prefix=WIDE

// Channel 7 is the program's. Operation 3 has the channel 8 + 3 * 3.
// CHECK: module attributes {kernel.first_tap = 8 : i64}
// CHECK: kernel.send %{{.*}} to 7
// CHECK: %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT: kernel.send %[[SUM]] to 14 : tensor<4xbf16>
// CHECK: stablehlo.transpose
// CHECK-NOT: kernel.send
// CHECK: %[[P:.*]] = stablehlo.dot_general
// CHECK-NEXT: kernel.send %[[P]] to 20 : tensor<3x4xbf16>
// CHECK: stablehlo.while
// CHECK: stablehlo.compare
// CHECK-NOT: kernel.send
// CHECK: %[[R:.*]] = stablehlo.reduce
// CHECK-NEXT: kernel.send %[[R]] to 38 : tensor<3xf32>
// CHECK: return

// ONLY: stablehlo.constant
// ONLY-NEXT: kernel.send %{{.*}} to 8 : tensor<bf16>
// ONLY: stablehlo.add
// ONLY-NOT: kernel.send
// ONLY: %[[T:.*]] = stablehlo.transpose
// ONLY-NEXT: kernel.send %[[T]] to 17 : tensor<4x4xbf16>
// ONLY-NOT: kernel.send
// ONLY: return

// The operands of operation 4 have channels behind those of all operations.
// OPERANDS: %[[X:.*]] = stablehlo.transpose
// OPERANDS-NEXT: kernel.send %arg1 to 47 : tensor<3x4xbf16>
// OPERANDS-NEXT: kernel.send %[[X]] to 48 : tensor<4x4xbf16>
// OPERANDS-NEXT: %[[P:.*]] = stablehlo.dot_general
// OPERANDS-NEXT: kernel.send %[[P]] to 20

// OWN: %[[S:.*]] = stablehlo.add
// OWN-NEXT: kernel.send %[[S]] to 14
// OWN-NEXT: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// OWN-NEXT: %[[B:.*]] = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// OWN-NEXT: %[[LARGE:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<4xf32>
// OWN-NEXT: kernel.send %[[LARGE]] to 15 : tensor<4xf32>
// OWN: %[[M:.*]] = stablehlo.maximum
// OWN-NEXT: kernel.send %[[M]] to 16 : tensor<4xf32>
// OWN: stablehlo.dot_general
// OWN: stablehlo.dot_general {{.*}} precision = [HIGHEST, HIGHEST]{{.*}} -> tensor<3x4xf32>
// OWN-NEXT: kernel.send %{{.*}} to 21
// A sum of f32 is computed alike.
// OWN: stablehlo.reduce
// OWN-NEXT: kernel.send %{{.*}} to 38
// OWN-NEXT: stablehlo.add
// OWN-NOT: kernel.send

// OWN64: stablehlo.reduce
// OWN64: stablehlo.reduce{{.*}}(tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
// OWN64: kernel.send %{{.*}} to 39 : tensor<3xf64>

// Arguments and results keep their types, and so does what the program sends.
// WIDE: func.func @main(%[[ARG:.*]]: tensor<4xbf16>, %{{.*}}: tensor<3x4xbf16>, %{{.*}}: tensor<4x4xbf16>, %{{.*}}: tensor<3xf32>) -> (tensor<3x4xbf16>, tensor<4xi16>, tensor<3xf32>)
// WIDE: %[[X:.*]] = stablehlo.convert %[[ARG]] : (tensor<4xbf16>) -> tensor<4xf32>
// WIDE: stablehlo.convert {{.*}} : (tensor<bf16>) -> tensor<f32>
// WIDE: kernel.send %{{.*}} to 7 : tensor<bf16>
// WIDE: stablehlo.add %[[X]], %[[X]] : tensor<4xf32>
// WIDE-NEXT: kernel.send %{{.*}} to 14 : tensor<4xf32>
// WIDE: stablehlo.transpose {{.*}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
// WIDE: stablehlo.dot_general {{.*}} precision = [HIGHEST, HIGHEST]{{.*}} -> tensor<3x4xf32>
// Roundings are left out.
// WIDE-NOT: stablehlo.reduce_precision
// WIDE: stablehlo.while({{.*}}) : tensor<i32>, tensor<3x4xf32>, tensor<3xf32>
// WIDE: stablehlo.reduce
// WIDE-NEXT: kernel.send %{{.*}} to 38 : tensor<3xf32>
// The bits are those of the program's type.
// WIDE: %[[N:.*]] = stablehlo.convert {{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
// WIDE-NEXT: stablehlo.bitcast_convert %[[N]] : (tensor<4xbf16>) -> tensor<4xi16>
// WIDE: return %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x4xbf16>, tensor<4xi16>, tensor<3xf32>
func.func @main(%x: tensor<4xbf16>, %y: tensor<3x4xbf16>, %w: tensor<4x4xbf16>, %z: tensor<3xf32>) -> (tensor<3x4xbf16>, tensor<4xi16>, tensor<3xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  kernel.send %one to 7 : tensor<bf16>
  %sum = stablehlo.add %x, %x : tensor<4xbf16>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %p = stablehlo.dot_general %y, %t, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x4xbf16>) -> tensor<3x4xbf16>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %loop:3 = stablehlo.while(%i = %zero, %v = %p, %last = %z) : tensor<i32>, tensor<3x4xbf16>, tensor<3xf32>
    cond {
      %less = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %wide = stablehlo.convert %v : (tensor<3x4xbf16>) -> tensor<3x4xf32>
      %r = stablehlo.reduce(%wide init: %init) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      %next = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %next, %v, %r : tensor<i32>, tensor<3x4xbf16>, tensor<3xf32>
    }
  %bits = stablehlo.bitcast_convert %sum : (tensor<4xbf16>) -> tensor<4xi16>
  return %loop#1, %bits, %loop#2 : tensor<3x4xbf16>, tensor<4xi16>, tensor<3xf32>
}
