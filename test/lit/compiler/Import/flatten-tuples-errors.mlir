// RUN: systole-opt %s --systole-flatten-tuples --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error@+1 {{attributes of a tuple are not supported: argument 0}}
func.func @main(%t: tuple<tensor<i32>> {jax.buffer_donor = true}) {
  return
}

// -----

func.func @main(%p: tensor<i1>, %t: tuple<tensor<i32>>) -> tuple<tensor<i32>> {
  // expected-error@+1 {{'test.select' on tuples is not supported}}
  %r = "test.select"(%p, %t) : (tensor<i1>, tuple<tensor<i32>>) -> tuple<tensor<i32>>
  return %r : tuple<tensor<i32>>
}
