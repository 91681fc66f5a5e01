// Verifier errors of random bits.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%s: tensor<2xui64>) {
  // expected-error@+1 {{'MERSENNE' is not a value of rng_algorithm}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = MERSENNE : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return
}

// -----

// Breaks: rng_bit_generator C1
func.func @bad(%s: tensor<2xui64>) {
  // expected-error@+1 {{requires the same type for both states, but initial_state is 'tensor<2xui64>' and output_state is 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<3xui32>)
  return
}

// -----

func.func @bad(%s: tensor<2xi1>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xi1>) -> (tensor<2xi1>, tensor<3xui32>)
  return
}

// -----

func.func @bad(%s: tensor<2xui64>) {
  // expected-error@+1 {{result #1 must be statically shaped tensor of}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<?xui32>)
  return
}

// -----

// Breaks: rng_bit_generator C2
func.func @bad(%s: tensor<3xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op requires 2 numbers as the state of THREE_FRY, but initial_state is 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui32>)
  return
}

// -----

// Breaks: rng_bit_generator C2
func.func @bad(%s: tensor<4xui64>) {
  // expected-error@+1 {{'stablehlo.rng_bit_generator' op requires 2 or 3 numbers as the state of PHILOX, but initial_state is 'tensor<4xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<3xui32>)
  return
}
