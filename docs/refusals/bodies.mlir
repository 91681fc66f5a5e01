// Loops in the body of a window
// Instead: a reduction over a dimension of taps, made by slices.
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %result = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %none = stablehlo.constant dense<0> : tensor<i32>
    %c:2 = stablehlo.while(%i = %none, %s = %a) : tensor<i32>, tensor<f32>
    cond {
      %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.add %s, %b : tensor<f32>
      stablehlo.return %next, %t : tensor<i32>, tensor<f32>
    }
    stablehlo.return %c#1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}
