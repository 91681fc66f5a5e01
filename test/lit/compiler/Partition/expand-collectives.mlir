// Collective operations become exchanges of blocks, and reductions of one core in the order of ranks.
// RUN: systole-opt --systole-expand-collectives --split-input-file %s | FileCheck %s

// CHECK-LABEL: @gather
// CHECK: kernel.exchange %arg0 blocks 1 to 2 steps [#kernel.step<0, forwards = false, sources = [0, 0], targets = [0, 1], places = [0, 1]>, #kernel.step<0, forwards = false, sources = [0, 0], targets = [1, 0], places = [0, 1]>] of "all_gather" : (tensor<8x128xf32>) -> tensor<16x128xf32>
module attributes {kernel.cores = 2 : i64} {
  func.func @gather(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8x128xf32>) -> tensor<16x128xf32>
    return %0 : tensor<16x128xf32>
  }
}

// -----

// Rank 0 is core 1. Blocks of seven elements are padded to a row.
// CHECK-LABEL: @reduce
// CHECK: stablehlo.pad
// CHECK: kernel.exchange {{.*}} of "all_reduce" : (tensor<8x128xf32>) -> tensor<16x128xf32>
// CHECK: %[[FIRST:.*]] = stablehlo.slice %[[ALL:.*]] [0:7]
// CHECK: %[[SECOND:.*]] = stablehlo.slice %[[ALL]] [7:14]
// CHECK: stablehlo.subtract %[[FIRST]], %[[SECOND]]
module attributes {kernel.cores = 2 : i64} {
  func.func @reduce(%x: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<7xf32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// -----

// A core that nothing is sent to has zeros.
// CHECK-LABEL: @permute
// CHECK: kernel.exchange %{{.*}} blocks 1 to 1 steps [#kernel.step<0, forwards = false, sources = [0, 0], targets = [1, -1], places = [0, 0]>] of "collective_permute"
// CHECK: %[[ID:.*]] = kernel.core_number : tensor<ui32>
// CHECK: stablehlo.select
module attributes {kernel.cores = 2 : i64} {
  func.func @permute(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x128xf32>) -> tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}

// -----

// A large sum is made by halves: with the other core of the chip, then along links, of each half of the array in
// another order. Core 0 sends the second half of both parts to core 1, and adds what it gets to the first.
// CHECK-LABEL: @large
// CHECK: kernel.exchange %arg0 blocks 4 to 2 steps [#kernel.step<0, forwards = false, sources = [1, 0, 1, 0, 1, 0, 1, 0], targets = [1, 0, 3, 2, 5, 4, 7, 6], places = [0, 0, 0, 0, 0, 0, 0, 0]>, #kernel.step<0, forwards = false, sources = [3, 2, 3, 2, 3, 2, 3, 2], targets = [1, 0, 3, 2, 5, 4, 7, 6], places = [1, 1, 1, 1, 1, 1, 1, 1]>] of "all_reduce" : (tensor<512x1024xf32>) -> tensor<256x1024xf32>
// CHECK: stablehlo.dynamic_slice {{.*}} sizes = [128, 1024]
// CHECK: stablehlo.add {{.*}} : tensor<256x1024xf32>
// CHECK: kernel.exchange {{.*}} blocks 4 to 2 steps {{.*}}targets = [4, 5, 6, 7, 0, 1, 2, 3]{{.*}}targets = [2, 3, 0, 1, 6, 7, 4, 5]{{.*}} of "all_reduce" : (tensor<256x1024xf32>) -> tensor<128x1024xf32>
// CHECK: stablehlo.add {{.*}} : tensor<128x1024xf32>
// CHECK: kernel.exchange {{.*}} blocks 4 to 2 steps {{.*}}targets = [2, 3, 0, 1, 6, 7, 4, 5]{{.*}}targets = [4, 5, 6, 7, 0, 1, 2, 3]{{.*}} of "all_reduce" : (tensor<128x1024xf32>) -> tensor<64x1024xf32>
// CHECK: stablehlo.add {{.*}} : tensor<64x1024xf32>
// CHECK: kernel.exchange {{.*}} of "all_reduce" : (tensor<64x1024xf32>) -> tensor<512x1024xf32>
module attributes {kernel.cores = 8 : i64} {
  func.func @large(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    return %0 : tensor<512x1024xf32>
  }
}

// -----

// Another body's operands stay in the order of ranks: each core reduces the part that it is sent.
// CHECK-LABEL: @ordered
// CHECK: kernel.exchange {{.*}} of "all_reduce" : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
// CHECK: stablehlo.subtract {{.*}} : tensor<64x1024xf32>
// CHECK: kernel.exchange {{.*}}#kernel.step<0, forwards = false, sources = [0, 0, 0, 0, 0, 0, 0, 0], targets = [2, 3, 0, 1, 6, 7, 4, 5]
// CHECK-SAME: #kernel.step<0, forwards = false, sources = [1, 1, 1, 1, 1, 1, 1, 1], targets = [4, 5, 6, 7, 0, 1, 2, 3]
// CHECK-SAME: of "all_reduce" : (tensor<64x1024xf32>) -> tensor<512x1024xf32>
module attributes {kernel.cores = 8 : i64} {
  func.func @ordered(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    return %0 : tensor<512x1024xf32>
  }
}
