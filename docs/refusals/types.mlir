// Types that are no tensors
// Instead: tensors.
func.func @main(%x: vector<8xf32>) -> vector<8xf32> {
  return %x : vector<8xf32>
}
