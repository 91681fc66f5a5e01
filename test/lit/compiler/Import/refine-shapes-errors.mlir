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
