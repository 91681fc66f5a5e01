// Verifier errors of collectives that send arrays between named devices.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: collective_permute C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op requires source_target_pairs to have two columns, but they are of type 'tensor<2xi64>'}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op requires source_target_pairs to have two columns, but they are of type 'tensor<1x3xi64>'}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op names device 0 twice in sources of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op names device 2 twice in targets of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op names device 7 twice in sources of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<7> : tensor<1000000000000x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op cannot name device -1 in targets of source_target_pairs}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_permute C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_permute' op requires a result of type 'tensor<4x8xf32>', but it is 'tensor<8x4xf32>'}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: collective_broadcast C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op names device 1 twice in replica_groups}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_broadcast C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op requires a result of type 'tensor<4x8xf32>', but it is 'tensor<4xf32>'}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: collective_broadcast C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op requires an array to send}}
  "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

// Breaks: collective_broadcast C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op requires an array to send}}
  "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4x8xf32>) -> ()
  return
}

// -----

// Breaks: collective_broadcast C5
func.func @bad(%x: tensor<4x8xf32>, %r: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op requires as many results as operands, but has 1 operands and 2 results}}
  %0:2 = "stablehlo.collective_broadcast"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4x8xf32>, tensor<1xi32>) -> (tensor<4x8xf32>, tensor<1xi32>)
  return
}

// -----

// Breaks: collective_broadcast C4
func.func @bad(%x: tensor<4x8xf32>, %r: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.collective_broadcast' op requires a root of type 'tensor<1xi32>', but it is 'tensor<i32>'}}
  %0 = "stablehlo.collective_broadcast"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: collective_reduce C3
func.func @bad(%x: tensor<4x8xf32>, %r: tensor<2xi32>) {
  // expected-error@+1 {{requires a root of type 'tensor<1xi32>', but it is 'tensor<2xi32>'}}
  %0 = "stablehlo.collective_reduce"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{requires a channel above 0 if use_global_device_ids is set, but it is 0}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
