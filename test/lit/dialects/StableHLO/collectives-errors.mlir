// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires replica_groups to have a row for each group, but they are of type 'tensor<2xi64>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op names device 1 twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op names device 0 twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1000000x1000000xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op cannot name device -1 in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op names device 3 in replica_groups of 2 devices}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 3]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires replica_groups if use_global_device_ids is set}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a channel above 0 if use_global_device_ids is set, but it is 0}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a channel above 0 if use_global_device_ids is set, but it is -1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op dimension 2 in all_gather_dim is out of range for rank-2 operand}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op dimension -1 in all_gather_dim is out of range for rank-2 operand}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// Breaks: all_gather C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a multiple of the size along dimension 1 and else one shape, but result and operand are 'tensor<4x20xf32>' and 'tensor<4x8xf32>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x20xf32>
  return
}

// -----

// Breaks: all_gather C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a multiple of the size along dimension 1 and else one shape, but result and operand are 'tensor<4x12xf32>' and 'tensor<4x8xf32>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x12xf32>
  return
}

// -----

// Breaks: all_gather C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a multiple of the size along dimension 1 and else one shape, but result and operand are 'tensor<5x16xf32>' and 'tensor<4x8xf32>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<5x16xf32>
  return
}

// -----

func.func @bad(%x: tensor<0x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a multiple of the size along dimension 0 and else one shape}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x2xi64>}> : (tensor<0x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires operand and result of one rank}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<64xf32>
  return
}

// -----

// Breaks: all_gather C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires a result of type 'tensor<4x16xf32>', but it is 'tensor<4x16xf16>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf16>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op requires as many results as operands, but has 1 operands and 2 results}}
  %0:2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

// Breaks: all_reduce C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op cannot name device -2 in replica_groups}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_reduce C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op requires a channel above 0 if use_global_device_ids is set, but it is 0}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_reduce C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op requires a result of type 'tensor<4x8xf32>', but it is 'tensor<8x4xf32>'}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_reduce C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op requires a computation with 2 arguments, two per input, but it has 1}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_reduce C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op requires a computation that returns 1 values, one per input, but it returns 0}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_reduce C7
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op requires 'tensor<f16>' for argument #0 of the computation, after result #0, but it is 'tensor<f32>'}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf16>
  return
}

// -----

// Breaks: all_reduce C5
func.func @bad(%x: tensor<4x8xf64>) {
  // expected-error@+1 {{'stablehlo.all_reduce' op cannot reduce 'tensor<4x8xf64>' to elements of type 'f32'}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf64>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: reduce_scatter C5
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op cannot name device -1 in replica_groups}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Breaks: reduce_scatter C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op dimension 2 in scatter_dimension is out of range for rank-2 operand}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Breaks: reduce_scatter C8
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires 2 times the size along dimension 1 and else one shape, but operand and result are 'tensor<4x8xf32>' and 'tensor<4x2xf32>'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x2xf32>
  return
}

// -----

// Breaks: reduce_scatter C8
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires operand and result of one rank}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<16xf32>
  return
}

// -----

// Breaks: reduce_scatter C6
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires a channel above 0 if use_global_device_ids is set}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Breaks: reduce_scatter C9
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires 'tensor<f16>' for argument #0 of the computation}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf16>
  return
}

// -----

// Breaks: all_to_all C4
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires a positive split_count, but it is 0}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C8
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires groups of split_count devices, 4, but they have 2}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires groups of split_count devices, 2, but there are none}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<> : tensor<0x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C1
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op dimension 2 in split_dimension is out of range for rank-2 operand}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C3
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op dimension -1 in concat_dimension is out of range for rank-2 operand}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = -1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C2
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op cannot divide the size 8 of dimension 1 into 3 parts}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Breaks: all_to_all C9
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires a result of type 'tensor<8x4xf32>', but it is 'tensor<4x8xf32>'}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: all_to_all C9
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires a result of type 'tensor<8x4xf32>', but it is 'tensor<8x4xi32>'}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xi32>
  return
}
