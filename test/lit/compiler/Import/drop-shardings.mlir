// On one device all shardings are removed.
// RUN: %systole-opt --systole-drop-shardings %s | FileCheck %s

// CHECK-NOT: sdy
"sdy.mesh"() <{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 1>, #sdy.mesh_axis<"y", 1>], []>, sym_name = "mesh"}> : () -> ()

// CHECK: func.func @main(%arg0: tensor<8xf32> {jax.buffer_donor = true}) -> (tensor<8xf32> {jax.result_info = "r"})
func.func @main(%x: tensor<8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [], []>})
    -> (tensor<8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [], []>}) {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0 : tensor<8xf32>
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[]>} : tensor<8xf32>
  %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [], []>}> : (tensor<8xf32>) -> tensor<8xf32>
  "sdy.sharding_group"(%1) <{group_id = 3 : i64}> : (tensor<8xf32>) -> ()
  %2:2 = "sdy.manual_computation"(%1, %x) <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy.manual_axes<["x"]>, out_shardings = #sdy.sharding_per_value<[]>}> ({
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    // CHECK-NEXT: %[[B:.*]] = stablehlo.subtract %[[A]], %arg0 : tensor<8xf32>
    %c = stablehlo.subtract %a, %b : tensor<8xf32>
    %d = "sdy.reshard"(%c) <{sharding = #sdy.sharding<@mesh, [], []>}> : (tensor<8xf32>) -> tensor<8xf32>
    "sdy.return"(%b, %d) : (tensor<8xf32>, tensor<8xf32>) -> ()
  }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK-NEXT: return %[[B]] : tensor<8xf32>
  return %2#1 : tensor<8xf32>
}

// GSPMD's calls are identities; its attributes for one device or none are removed.
// CHECK: func.func private @gspmd(%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
// CHECK-NEXT: %[[A:.*]] = stablehlo.add %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[A]]
func.func private @gspmd(%x: tensor<4xf32> {mhlo.sharding = "{devices=[1,1]<=[1] last_tile_dim_replicate}"},
    %y: tensor<4xf32> {jax.buffer_donor = true, mhlo.sharding = "{maximal device=3}"})
    -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[1]<=[1]}"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %1, %1 : tensor<4xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{{devices=[1]<=[1]}, {replicated}}"} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Groups along axes of a mesh are the one device.
// CHECK: func.func private @groups(%[[X:.*]]: tensor<4xf32>)
func.func private @groups(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = "stablehlo.all_gather"(%[[X]]) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: "stablehlo.all_gather"(%[[A]]) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
  %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 1>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
