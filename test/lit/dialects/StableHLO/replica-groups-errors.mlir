// Verifier errors of the groups of collectives and of what these combine.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: all_reduce C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op names device 0 twice in replica_groups}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_to_all C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op names device 0 twice in replica_groups}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C7
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op names device 2 in replica_groups of 2 devices}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: collective_broadcast C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op names device 2 in replica_groups of 2 devices}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_reduce C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_reduce' op names device 0 twice in replica_groups}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_reduce C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_reduce' op names device 2 in replica_groups of 2 devices}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_reduce C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_reduce' op requires a result of type 'tensor<4x8xf32>', but it is 'tensor<8x4xf32>'}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: collective_reduce C4
func.func @bad(%x: tensor<4x8xf64>) {
  // expected-error@+1 {{'stablehlo.collective_reduce' op cannot reduce 'tensor<4x8xf64>' to elements of type 'f32'}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf64>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: reduce_scatter C1
func.func @bad(%x: tensor<4x7xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires 2 times the size along dimension 1 and else one shape}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x7xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: reduce_scatter C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op names device 0 twice in replica_groups}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Breaks: reduce_scatter C7
func.func @bad(%x: tensor<4x8xf64>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op cannot reduce 'tensor<4x8xf64>' to elements of type 'f32'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf64>) -> tensor<4x4xf32>
  return
}
