// Verifier errors of composites and custom calls.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: composite C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a function as its decomposition, but 'nothing' is none}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @nothing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: composite C4
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires 'tensor<4xf32>' for #0 of the results, but it is 'tensor<5xf32>'}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Breaks: composite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'op'}}
  %0 = stablehlo.composite "op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Breaks: composite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is '9a.op'}}
  %0 = stablehlo.composite "9a.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Breaks: composite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my.op!'}}
  %0 = stablehlo.composite "my.op!" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Breaks: composite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my..op'}}
  %0 = stablehlo.composite "my..op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Breaks: composite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my-space.op'}}
  %0 = stablehlo.composite "my-space.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires attribute 'call_target_name'}}
  "stablehlo.custom_call"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires api_version to be from 0 to 4, but it is 5}}
  stablehlo.custom_call @f(%x) {api_version = 5 : i32} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires layouts of both operands and results, or of neither}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires result_layouts to have 0 layouts, but it has 1}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op dimension 0 occurs twice in operand_layouts [0, 0]}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<2xindex>], result_layouts = []} : (tensor<4x2xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts to have a list of 2 dimensions for 'tensor<4x2xf32>'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<4x2xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires backend_config to be a dictionary if api_version is 4, else a string}}
  stablehlo.custom_call @f(%x) {backend_config = {}} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tuple<tensor<4xf32>, tensor<i32>>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts of arrays and tokens, but there is 'tuple<tensor<4xf32>, tensor<i32>>'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tuple<tensor<4xf32>, tensor<i32>>) -> ()
  return
}

// -----

func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts to have a list of 0 dimensions for '!stablehlo.token'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has an alias of operand #1, but there are 1}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tuple<tensor<4xf32>, tensor<i32>>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has no element [2] in operand #0, 'tuple<tensor<4xf32>, tensor<i32>>'}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [2]>]} : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has no element [-1] among its results, 'tuple<tensor<4xf32>, tensor<i32>>'}}
  %0:2 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [-1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op cannot give the memory of 'tensor<4xf32>' to a result of type 'tensor<i32>'}}
  %0:2 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{unknown field 'operand', expected one of output_tuple_indices, operand_index, operand_tuple_indices}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<operand = 0>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
