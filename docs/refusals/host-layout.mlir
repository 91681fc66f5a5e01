// Layouts of arrays in the memory of the host
// Instead: no layout, which is that of the array's shape.
func.func @main(%x: tensor<16x256xf32> {mhlo.layout_mode = "{0,1}", mhlo.memory_kind = "pinned_host"}) -> tensor<16x256xf32> {
  return %x : tensor<16x256xf32>
}
