// Arrays from the host whose sizes depend on data
// Instead: an array of the bound's size, and `set_dimension_size` with one that comes with it.
func.func @main() -> tensor<?xf32, #stablehlo.bounds<9>> {
  %token = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<?xf32, #stablehlo.bounds<9>>, !stablehlo.token)
  return %0#0 : tensor<?xf32, #stablehlo.bounds<9>>
}
