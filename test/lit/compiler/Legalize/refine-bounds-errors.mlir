// What has no form on padded arrays is refused at its place.
// RUN: systole-opt %s --split-input-file --systole-refine-shapes --verify-diagnostics

func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{the sizes of 'stablehlo.dynamic_iota' depend on data; that is not supported}}
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return
}

// -----

func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %n: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' of sizes that depend on data: its result's type needs a bound of dimension 1}}
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<2xi32>) -> tensor<?x?xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) {
  // expected-error@+1 {{'stablehlo.custom_call' of sizes that depend on data: not supported}}
  %0 = stablehlo.custom_call @foo(%x) : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return
}

// -----

// What a loop carries without a bound keeps its size.
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' carries value #0 of 'tensor<8xf32>', and then one whose sizes depend on data; its type needs bounds}}
  %0:2 = stablehlo.while(%a = %x, %i = %n) : tensor<8xf32>, tensor<i32>
  cond {
    %go = stablehlo.compare GT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32>
    stablehlo.return %b, %i : tensor<?xf32>, tensor<i32>
  }
  return
}

// -----

func.func @main(%x: tensor<2x8x4xf32>, %k: tensor<3x2x?xf32, #stablehlo.bounds<?, ?, 4>>) {
  // expected-error@+1 {{'stablehlo.convolution' of sizes that depend on data: features in groups must have known numbers}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x4xf32>, tensor<3x2x?xf32, #stablehlo.bounds<?, ?, 4>>) -> tensor<2x6x?xf32>
  return
}

// -----

// expected-error@+1 {{argument 0 has sizes that are not known, 'tensor<?x?xf32, #stablehlo.bounds<8, ?>>'; give the shapes of the arguments}}
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<8, ?>>) {
  return
}

// -----

func.func @main(%x: tensor<?xf32, #stablehlo.bounds<9>>) {
  // expected-error@+1 {{transfers of arrays whose sizes depend on data are not supported}}
  kernel.send %x to queue 0 : tensor<?xf32, #stablehlo.bounds<9>>
  return
}
