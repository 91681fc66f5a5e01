// Three equal layers: a function that is called twice, and the same by hand, in a library. Barriers
// keep the work of each in its kernel.
#product = loc("dot_general"("/home/me/model.py":13:3))
#library = loc("jit(f)/jvp(layer0)/dense/dot_general"(callsite("__call__"("/venv/lib/python3.11/site-packages/flax/linear.py":7:4) at "model"("/home/me/model.py":12:3))))
#rectifier = loc("max")
#call = loc("jit(f)/transpose(jvp(layer1))/dense"("/home/me/model.py":20:1))
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<16x16xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> loc(#library)
  %1 = stablehlo.maximum %0, %zero : tensor<16x16xf32> loc(#library)
  %b = stablehlo.optimization_barrier %1 : tensor<16x16xf32>
  %2 = func.call @layer(%b, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> loc(#call)
  %3 = func.call @layer(%2, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> loc(#call)
  return %3 : tensor<16x16xf32>
}
func.func private @layer(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<16x16xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> loc(#product)
  %1 = stablehlo.maximum %0, %zero : tensor<16x16xf32> loc(#rectifier)
  %2 = stablehlo.optimization_barrier %1 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
