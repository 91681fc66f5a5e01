// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @unknown_name(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stablehlo.add' op kernel.unit: no attribute of the kernel dialect on operations}}
  %0 = stablehlo.add %x, %x {kernel.unit} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @name_of_modules(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stablehlo.add' op kernel.hbm_rows: no attribute of the kernel dialect on operations}}
  %0 = stablehlo.add %x, %x {kernel.hbm_rows = 8 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @wrong_value(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stablehlo.add' op kernel.per_row: expects the unit attribute, found 1 : i32}}
  %0 = stablehlo.add %x, %x {kernel.per_row = 1 : i32} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @wrong_mark(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stablehlo.add' op kernel.expanded: expects the unit attribute or an integer, found "x"}}
  %0 = stablehlo.add %x, %x {kernel.expanded = "x"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op kernel.dynamic_dim: expects an integer, found f32}}
func.func @wrong_argument(%n: tensor<i32> {kernel.dynamic_dim = f32}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op kernel.layouts: no attribute of the kernel dialect on arguments and results}}
func.func @name_of_operations(%x: tensor<8xf32> {kernel.layouts = []}) {
  return
}

// -----

// expected-error @+1 {{'builtin.module' op kernel.hbm_plan: expects an array of #kernel.hbm_region, found [1]}}
module attributes {kernel.hbm_plan = [1 : i64]} {
}

// -----

// expected-error @+1 {{'builtin.module' op kernel.results: expects an array of 32-bit integers, found array<i64: 1>}}
module attributes {kernel.results = array<i64: 1>} {
}
