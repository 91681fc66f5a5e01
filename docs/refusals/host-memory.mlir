// Arguments in memories that there are not
// Instead: `pinned_host` or `unpinned_host`.
func.func @main(%x: tensor<8xf32> {mhlo.memory_kind = "host"}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
