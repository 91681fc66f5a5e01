// Random bits: algorithms, types of states.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @random(
// GENERIC-LABEL: sym_name = "random"
func.func @random(%s: tensor<2xui64>, %w: tensor<4xui32>) {
  // CHECK: %output_state, %output = stablehlo.rng_bit_generator %{{.*}}, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  // GENERIC: "stablehlo.rng_bit_generator"(%{{.*}}) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  // CHECK: algorithm = THREE_FRY {x = 1 : i8} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f64>)
  %1:2 = stablehlo.rng_bit_generator %0#0, algorithm = THREE_FRY {x = 1 : i8} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f64>)
  // CHECK: algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<0xi8>)
  %2:2 = "stablehlo.rng_bit_generator"(%w) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<4xui32>) -> (tensor<4xui32>, tensor<0xi8>)
  return
}
