// Programs for more cores than a slice has
// Instead: fewer partitions.
module attributes {mhlo.num_partitions = 64 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
