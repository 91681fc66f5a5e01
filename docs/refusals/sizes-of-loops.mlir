// Loops that carry a known size first, and then one that depends on data
// Instead: a type with a bound for what the loop carries, as in `tensor<?xf32, #stablehlo.bounds<8>>`.
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<i32> {
  %r:2 = stablehlo.while(%a = %x, %i = %n) : tensor<8xf32>, tensor<i32>
  cond {
    %go = stablehlo.compare GT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32>
    stablehlo.return %b, %i : tensor<?xf32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
