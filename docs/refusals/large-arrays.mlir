// Arrays of 2^31 elements and more
// Instead: several arrays.
func.func @main(%x: tensor<65536x32768xi8>) -> tensor<65536x32768xi8> {
  return %x : tensor<65536x32768xi8>
}
