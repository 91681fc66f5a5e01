// What is asynchronous is computed where it starts.
// RUN: systole-opt %s --systole-inline-async --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b, %y : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>, tensor<4xf32>>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.slice %arg0 [0:4]
  // CHECK-NEXT: return %arg1, %[[B]]
  %r:2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>, tensor<4xf32>>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#1, %r#0 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @main(%f: !stablehlo.future<tensor<4xf32>>) -> tensor<4xf32> {
  // expected-error@+1 {{a future that does not come from stablehlo.async_start of the same function is not supported}}
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  // expected-error@+1 {{'func.return' of a future is not supported; stablehlo.async_done is}}
  return %f : !stablehlo.future<tensor<4xf32>>
}
