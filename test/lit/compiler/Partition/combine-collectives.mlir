// Small reductions over the same groups are one; what depends on some of them moves behind it.
// RUN: systole-opt --systole-combine-collectives --split-input-file %s | FileCheck %s

// CHECK-LABEL: @independent
// CHECK: %[[N:.*]] = stablehlo.negate %arg1
// CHECK: %[[ALL:.*]]:2 = "stablehlo.all_reduce"(%arg0, %[[N]])
// CHECK: (tensor<4xf32>, tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>)
// CHECK: %[[A:.*]] = stablehlo.abs %[[ALL]]#0
// CHECK: return %[[A]], %[[ALL]]#1
module attributes {kernel.cores = 2 : i64} {
  func.func @independent(%x: tensor<4xf32>, %y: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.abs %0 : tensor<4xf32>
    %2 = stablehlo.negate %y : tensor<2x3xf32>
    %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %1, %3 : tensor<4xf32>, tensor<2x3xf32>
  }
}

// -----

// One that depends on another, with another body, and of another type stay.
// CHECK-LABEL: @dependent
// CHECK-COUNT-4: "stablehlo.all_reduce"(%{{[a-z0-9_]*}})
module attributes {kernel.cores = 2 : i64} {
  func.func @dependent(%x: tensor<4xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.abs %0 : tensor<4xf32>
    %2 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<4xi32>
    return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
  }
}

// -----

// What stands behind the last reduction stays there.
// CHECK-LABEL: @behind
// CHECK: %[[ALL:.*]]:2 = "stablehlo.all_reduce"
// CHECK: %[[N:.*]] = stablehlo.negate %arg0
// CHECK: stablehlo.add %[[ALL]]#0, %[[N]]
module attributes {kernel.cores = 2 : i64} {
  func.func @behind(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.negate %x : tensor<4xf32>
    %3 = stablehlo.add %0, %2 : tensor<4xf32>
    return %3, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
