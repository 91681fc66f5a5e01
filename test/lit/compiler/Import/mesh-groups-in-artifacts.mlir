// Groups of devices along axes of a mesh in artifacts.
// RUN: %systole-opt --systole-stablehlo-to-vhlo=version=1.16 %s | FileCheck %s --check-prefix=VHLO
// RUN: systole-opt --emit-portable-artifact=1.16.0 %s -o %t && systole-opt --systole-vhlo-to-stablehlo %t | FileCheck %s
// RUN: not systole-opt --emit-portable-artifact=1.15.0 %s -o %t 2>&1 | FileCheck %s --check-prefix=OLD

// OLD: error: StableHLO 1.15 cannot represent the attribute 'replica_groups'

func.func private @mesh()

func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // VHLO: replica_groups = #vhlo.replica_group_mesh_axes_v1<#vhlo.string_v1<"mesh">, #vhlo.array_v1<[#vhlo.axis_ref_v1<#vhlo.string_v1<"x">, #vhlo.sub_axis_info_v1<2, 4>>]>>
  // CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>]>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>]>}> : (tensor<4xf32>) -> tensor<8xf32>
  // VHLO: replica_groups = #vhlo.replica_group_mesh_axes_v1<#vhlo.mesh_v1<#vhlo.array_v1<[#vhlo.mesh_axis_v1<#vhlo.string_v1<"x">, 2>]>, #vhlo.tensor_v1<
  // CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
