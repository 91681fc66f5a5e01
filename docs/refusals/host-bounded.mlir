// Bounded arrays in the memory of the host
// Instead: the array on the device, or one of the bound's size.
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<9>> {mhlo.memory_kind = "pinned_host"}) -> tensor<?xf32, #stablehlo.bounds<9>> {
  return %x : tensor<?xf32, #stablehlo.bounds<9>>
}
