// A loop that ends, and a choice of products, as data say.
func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.while(%a = %x) : tensor<256x256xf32>
  cond {
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("jit(f)/while/body/layer/dot_general"("model.py":5:7))
    stablehlo.return %b : tensor<256x256xf32>
  } loc("jit(f)/while"("model.py":4:3))
  %first = stablehlo.slice %r [0:1, 0:1] : (tensor<256x256xf32>) -> tensor<1x1xf32>
  %scalar = stablehlo.reshape %first : (tensor<1x1xf32>) -> tensor<f32>
  %which = stablehlo.compare LT, %scalar, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %y = "stablehlo.if"(%which) ({
    stablehlo.return %r : tensor<256x256xf32>
  }, {
    %b = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("jit(f)/branch_1_fun/dot_general"("model.py":9:7))
    stablehlo.return %b : tensor<256x256xf32>
  }) : (tensor<i1>) -> tensor<256x256xf32> loc("jit(f)/cond"("model.py":8:3))
  return %y : tensor<256x256xf32>
}
