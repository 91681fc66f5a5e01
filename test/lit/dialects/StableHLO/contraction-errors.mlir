// Verifier errors of contractions.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dot_general C5
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{dimension 3 in lhs_batching_dimensions is out of range for rank-3 lhs}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [3] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C8
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{dimension -1 in rhs_contracting_dimensions is out of range for rank-3 rhs}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [-1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C3
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{dimension 2 occurs twice in lhs_contracting_dimensions [2, 2]}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2, 2] x [1, 2] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C3
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{dimension 0 occurs both in lhs_batching_dimensions and in lhs_contracting_dimensions}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C4
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{dimension 0 occurs both in rhs_batching_dimensions and in rhs_contracting_dimensions}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [0] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C1
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{requires as many batching dimensions of lhs as of rhs, but they are [0] and []}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C2
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{requires as many contracting dimensions of lhs as of rhs, but they are [1, 2] and [1]}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C9
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{batching dimension 1 of lhs has size 8, but its counterpart 0 of rhs has size 2}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C10
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{contracting dimension 2 of lhs has size 16, but its counterpart 2 of rhs has size 4}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C12
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{requires a result of the batching and free dimensions, 'tensor<2x8x4xf32>', but it is 'tensor<2x4x8xf32>'}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// Breaks: dot_general C11
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{precision_config has 3 entries, but there are 2 operands}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH, HIGH] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{'BEST' is not a value of precision}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [BEST, HIGH] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C21
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{allows only DEFAULT precision beside an algorithm, but that of operand #1 is HIGH}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGH], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C22
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{lhs_component_count must be positive, but is 0}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C23
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{rhs_component_count must be positive, but is -1}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = -1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C24
func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{num_primitive_operations must be positive, but is 0}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{accumulation_type must be an integer or float type, but is 'index'}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = index, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{expected 'precision' or 'algorithm', in this order and each once}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, precision = [HIGH, HIGH] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{expected 'precision' or 'algorithm', in this order and each once}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], preference = [HIGH, HIGH] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

// Breaks: dot_general C13
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{requires element types that are all real or all complex, but lhs is 'tensor<4xf32>', rhs is 'tensor<4xcomplex<f32>>' and the result is 'tensor<complex<f32>>'}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{requires element types that are all real or all complex}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<f32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // expected-error@+1 {{requires attribute 'dot_dimension_numbers'}}
  %0 = "stablehlo.dot_general"(%x, %y) : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) {
  // expected-error@+1 {{is not an algorithm of any known hardware: 1 products of 'f32' x 3 and 'f32' x 1, summed in 'f32'}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) {
  // expected-error@+1 {{summed in 'f32', imprecisely}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) {
  // expected-error@+1 {{is not an algorithm of any known hardware: 2 products}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) {
  // expected-error@+1 {{is not an algorithm of any known hardware}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: dot_general C6
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op dimension 2 in lhs_contracting_dimensions is out of range for rank-2 lhs}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Breaks: dot_general C7
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op dimension 2 in rhs_batching_dimensions is out of range for rank-2 rhs}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
