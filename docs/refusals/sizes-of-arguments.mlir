// Sizes of arguments that are open
// Instead: `systole run --args`, `--argument-shapes`, or a call with arrays.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
