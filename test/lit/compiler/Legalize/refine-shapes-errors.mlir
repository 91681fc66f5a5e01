// What does not follow from the shapes of the arguments is refused at its place.
// RUN: systole-opt %s --split-input-file --systole-refine-shapes="arguments=[[4],[2]]" --verify-diagnostics

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{the sizes of 'stablehlo.dynamic_reshape' depend on data; that is not supported}}
  %r = stablehlo.dynamic_reshape %x, %i : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// expected-error@+1 {{argument 1 has a dimension of size 2, but is declared as 'tensor<3xi32>'}}
func.func @main(%x: tensor<?xf32>, %i: tensor<3xi32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 has 1 dimensions, but is declared as 'tensor<?x8xf32>'}}
func.func @main(%x: tensor<?x8xf32>, %i: tensor<2xi32>) {
  return
}

// -----

// expected-error@+1 {{the program has 1 arguments, but there are shapes for 2}}
func.func @main(%x: tensor<?xf32>) {
  return
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %holds = stablehlo.compare GE, %n, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error@+1 {{4 is below 5: 4}}
  stablehlo.custom_call @shape_assertion(%holds, %n, %five) {api_version = 2 : i32, error_message = "{0} is below {1}: {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  return
}

// -----

// Of the loop's types, and of what it carries.
func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // expected-error@+1 {{'stablehlo.while' carries value #1 of 'tensor<4xf32>' and then 'tensor<8xf32>'; a size that changes is not supported}}
  %r:2 = stablehlo.while(%n = %zero, %a = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %p = stablehlo.compare LT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %n, %b : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' has a result whose shape is not known: 'tensor<?xf32>'}}
  %r = stablehlo.custom_call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<9> : tensor<i32>
  // expected-error@+1 {{sets size 9 of dimension 0, which has 4 elements}}
  %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Numbers that no operation of static sizes may have.
func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %start = stablehlo.constant dense<5> : tensor<1xi32>
  %limit = stablehlo.constant dense<4> : tensor<1xi32>
  %stride = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{start index 5 is above limit index 4 in dimension 0}}
  %r = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %limit = stablehlo.constant dense<9> : tensor<1xi32>
  %stride = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{limit index 9 is above size 4 of dimension 0}}
  %r = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %limit = stablehlo.constant dense<4> : tensor<1xi32>
  %stride = stablehlo.constant dense<0> : tensor<1xi32>
  // expected-error@+1 {{stride 0 in dimension 0 is not positive}}
  %r = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<-4> : tensor<1xi64>
  %inner = stablehlo.constant dense<0> : tensor<1xi64>
  // expected-error@+1 {{padding makes the size of dimension 0 -4, below zero}}
  %r = stablehlo.dynamic_pad %x, %zero, %low, %low, %inner : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<4611686018427387904> : tensor<1xi64>
  %inner = stablehlo.constant dense<0> : tensor<1xi64>
  // expected-error@+1 {{the padded size of dimension 0 overflows 64 bits}}
  %r = stablehlo.dynamic_pad %x, %zero, %low, %low, %inner : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<2x?xf32> {
  %sizes = stablehlo.constant dense<9> : tensor<1xi32>
  %at = stablehlo.reshape %i : (tensor<2xi32>) -> tensor<2x1xi32>
  // expected-error@+1 {{slice size 9 is not between 0 and size 4 of dimension 0}}
  %r = "stablehlo.dynamic_gather"(%x, %at, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<?xf32>, tensor<2x1xi32>, tensor<1xi32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// -----

// Windows and groups, by whose numbers sizes are divided.
func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<1x?x1xf32> {
  %padding = stablehlo.constant dense<0> : tensor<1x2xi64>
  %y = stablehlo.constant dense<1.0> : tensor<1x4x1xf32>
  // expected-error@+1 {{window_strides must be positive, but is [0]}}
  %r = "stablehlo.dynamic_conv"(%y, %y, %padding) {window_strides = array<i64: 0>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[i, 0, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  return %r : tensor<1x?x1xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?x1x1xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<1.0> : tensor<1x4x1xf32>
  %z = stablehlo.set_dimension_size %y, %one, dim = 0 : (tensor<1x4x1xf32>, tensor<i32>) -> tensor<?x4x1xf32>
  // expected-error@+1 {{group counts must be positive, but are 1 and 0}}
  %r = "stablehlo.convolution"(%z, %y) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[i, 0, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64} : (tensor<?x4x1xf32>, tensor<1x4x1xf32>) -> tensor<?x1x1xf32>
  return %r : tensor<?x1x1xf32>
}

// -----

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %padding = stablehlo.constant dense<0> : tensor<1x2xi64>
  // expected-error@+1 {{window_strides must be positive, but is [0]}}
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %ones, %zeros, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1x2xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A body that calls itself.
func.func private @body(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1> : tensor<0xi64>
  %p = stablehlo.constant dense<1> : tensor<0x2xi64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%a, %b, %c, %c, %c, %c, %p) {called_computations = [@body]} : (tensor<f32>, tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0x2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>, %i: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1> : tensor<0xi64>
  %p = stablehlo.constant dense<1> : tensor<0x2xi64>
  // expected-error@+1 {{a body with a body of its own is not supported}}
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %i, %c, %c, %c, %c, %p) {called_computations = [@body]} : (tensor<f32>, tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0x2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?x?xui32> {
  %sizes = stablehlo.constant dense<[-1, 4]> : tensor<2xi64>
  %state = stablehlo.constant dense<1> : tensor<2xui64>
  // expected-error@+1 {{has a result of negative size}}
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %sizes) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi64>) -> (tensor<2xui64>, tensor<?x?xui32>)
  return %r#1 : tensor<?x?xui32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  %k = stablehlo.constant dense<-2> : tensor<i64>
  // expected-error@+1 {{has a result of negative size}}
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<?xf32> {
  // expected-error@+1 {{requires a shape for each result}}
  %r = stablehlo.custom_call @f() {indices_of_shape_operands = dense<0> : tensor<1xi64>} : () -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Sizes that contradict the declared ones.
func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<4xf32> {
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %limit = stablehlo.constant dense<3> : tensor<1xi32>
  %stride = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{'stablehlo.real_dynamic_slice' has a result of 'tensor<3xf32>', but is declared as 'tensor<4xf32>'}}
  %r = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {
  %wide = stablehlo.constant dense<[4, 1]> : tensor<2xi64>
  %sizes = stablehlo.convert %wide : (tensor<2xi64>) -> tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' has a result of 'tensor<4x1xf32>', but is declared as 'tensor<2x2xf32>'}}
  %r = stablehlo.dynamic_reshape %x, %sizes : (tensor<?xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<3x4xf32> {
  %narrow = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %sizes = stablehlo.convert %narrow : (tensor<2xi32>) -> tensor<2xi64>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{'stablehlo.rng' has a result of 'tensor<2x2xf32>', but is declared as 'tensor<3x4xf32>'}}
  %r = stablehlo.rng %z, %z, %sizes, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
