// RUN: systole-opt %s -systole-widen-sums | FileCheck %s

// Sums of bf16 are accumulated in f32, and rounded once.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[X:.*]] = stablehlo.convert %arg0 : (tensor<8x100xbf16>) -> tensor<8x100xf32>
// CHECK:         %[[Z:.*]] = stablehlo.convert %{{.*}} : (tensor<bf16>) -> tensor<f32>
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[X]] init: %[[Z]]) applies stablehlo.add
// CHECK-SAME:      -> tensor<8xf32>
// CHECK:         %[[Y:.*]] = stablehlo.convert %[[SUM]] : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK:         return %[[Y]]
func.func @sum(%x: tensor<8x100xbf16>) -> tensor<8xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %y = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x100xbf16>, tensor<bf16>) -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// Maxima are exact, and f32 is as wide as it gets.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT:     stablehlo.convert
// CHECK:         return
func.func @unchanged(%x: tensor<8x100xbf16>, %y: tensor<8x100xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %w = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<8x100xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %1 = stablehlo.reduce(%y init: %w) applies stablehlo.add across dimensions = [1] : (tensor<8x100xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xbf16>, tensor<8xf32>
}

// Of two results the sum alone is widened.
// CHECK-LABEL: func.func @sum_and_maximum
// CHECK:         %[[BOTH:.*]]:2 = stablehlo.reduce(%{{[^)]*}}), (%arg0 init: %{{[^)]*}})
// CHECK-SAME:      (tensor<8x100xf32>, tensor<8x100xf16>, tensor<f32>, tensor<f16>) -> (tensor<8xf32>, tensor<8xf16>)
// CHECK:         %[[SUM:.*]] = stablehlo.convert %[[BOTH]]#0 : (tensor<8xf32>) -> tensor<8xf16>
// CHECK:         return %[[SUM]], %[[BOTH]]#1
func.func @sum_and_maximum(%x: tensor<8x100xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<f16>
  %0:2 = stablehlo.reduce(%x init: %z), (%x init: %z) across dimensions = [1] : (tensor<8x100xf16>, tensor<8x100xf16>, tensor<f16>, tensor<f16>) -> (tensor<8xf16>, tensor<8xf16>)
    reducer(%a: tensor<f16>, %c: tensor<f16>) (%b: tensor<f16>, %d: tensor<f16>) {
      %1 = stablehlo.add %a, %c : tensor<f16>
      %2 = stablehlo.maximum %b, %d : tensor<f16>
      stablehlo.return %1, %2 : tensor<f16>, tensor<f16>
    }
  return %0#0, %0#1 : tensor<8xf16>, tensor<8xf16>
}

// CHECK-LABEL: func.func @windows
// CHECK:         "stablehlo.reduce_window"
// CHECK:         (tensor<8x100xf32>, tensor<f32>) -> tensor<8x98xf32>
// CHECK:         stablehlo.convert %{{.*}} : (tensor<8x98xf32>) -> tensor<8x98xbf16>
func.func @windows(%x: tensor<8x100xbf16>) -> tensor<8x98xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %y = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %0 = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %0 : tensor<bf16>
  }) : (tensor<8x100xbf16>, tensor<bf16>) -> tensor<8x98xbf16>
  return %y : tensor<8x98xbf16>
}
