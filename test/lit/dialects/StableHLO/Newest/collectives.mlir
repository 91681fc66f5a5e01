// Collectives in forms of StableHLO 1.19, which jaxlib 0.10.2 does not have:
// test/e2e/test_artifacts.py compares what is in the folder above with it.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @collectives(
func.func @collectives(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %r: tensor<2xi32>) {
  // Groups of different sizes, and a root that is computed.
  // CHECK: "stablehlo.collective_broadcast"(%arg0, %arg1, %arg2) <{has_dynamic_root, replica_groups = dense<{{\[\[}}0, 2], [1, -1]]> : tensor<2x2xi64>}>
  %9:2 = "stablehlo.collective_broadcast"(%x, %y, %r) <{has_dynamic_root, replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<2xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>}> ({
  %10 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %11 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4x8xf64>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}
