// Verifier errors of tuples and futures.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: tuple C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a tuple of the operands' types, but it is 'tuple<tensor<5xf32>>'}}
  %0 = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a tuple, but found 'tensor<4xf32>'}}
  %0 = stablehlo.tuple %x : tensor<4xf32>
  return
}

// -----

// Breaks: get_tuple_element C1
func.func @bad(%x: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{has no element 1 of 1}}
  %0 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// Breaks: get_tuple_element C2
func.func @bad(%x: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>>) -> tensor<5xf32>
  return
}

// -----

// Breaks: async_start C3
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a body with arguments of the operands' types}}
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    stablehlo.return %a : tensor<5xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<5xf32>>
  return
}

// -----

// Breaks: async_start C4
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a future of the types that the body returns, but it is '!stablehlo.future<tensor<5xf32>>'}}
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<5xf32>>
  return
}

// -----

// Breaks: async_done C1
func.func @bad(%f: !stablehlo.future<tensor<5xf32>>) {
  // expected-error@+1 {{requires results of the types of the future, '!stablehlo.future<tensor<5xf32>>'}}
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<5xf32>>) -> tensor<4xf32>
  return
}

// -----

// Breaks: async_start C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.async_start' op requires a body of one operation and a return, but there are 0 before the return}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

// Breaks: async_start C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.async_start' op requires a body of one operation and a return, but there are 2 before the return}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    %c = stablehlo.slice %b [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

// Breaks: async_start C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.async_start' op requires a collective operation or a slice in its body, but it is stablehlo.negate}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
