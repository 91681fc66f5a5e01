// Sharded programs become those of one core: parts of arguments and results, bodies of manual
// computations in their places, and whole arrays outside of them.
// RUN: systole-opt --systole-partition --split-input-file %s | FileCheck %s
// RUN: systole-opt --systole-partition=remarks --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// CHECK: module attributes {kernel.argument_parts = [array<i64: 8, 2, 0, 0, 1, 0>], kernel.cores = 2 : i64, kernel.result_parts = [array<i64: 8, 2, 0, 0, 1, 0>], mhlo.num_partitions = 2 : i32} {
// CHECK-NOT: sdy
// CHECK: func.func @main(%[[X:.*]]: tensor<4x2xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT: %[[Y:.*]] = stablehlo.negate %[[X]] : tensor<4x2xf32>
// CHECK-NEXT: return %[[Y]]
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<4x2xf32>) {
      %1 = stablehlo.negate %p : tensor<4x2xf32>
      sdy.return %1 : tensor<4x2xf32>
    } : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
}

// -----

// The operation is executed on the whole array, of which each core takes its part.
// REMARK: remark: 'stablehlo.reverse' is executed on whole arrays
// CHECK: func.func @main(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: %[[W:.*]] = "stablehlo.all_gather"(%[[X]]) <{all_gather_dim = 0 : i64, {{.*}}replica_groups = dense<{{\[\[}}0, 1]]>
// CHECK: %[[Y:.*]] = stablehlo.reverse %[[W]], dims = [0] : tensor<8xf32>
// CHECK: %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
// CHECK: stablehlo.multiply
// CHECK: stablehlo.dynamic_slice %[[Y]], %{{.*}}, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Groups along an axis of a mesh are lists.
// CHECK: replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
