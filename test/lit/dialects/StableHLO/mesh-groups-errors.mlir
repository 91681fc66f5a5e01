// Verifier errors of groups of devices along axes of a mesh.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// The mesh's symbol has to be there.
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op names the mesh @mesh in replica_groups, which there is not}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<4x24xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{names the axis 'y', which the mesh lacks}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4x8xf32>) -> tensor<4x24xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{requires names of axes, but one is "x"}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>, axes = ["x"]>}> : (tensor<4x8xf32>) -> tensor<4x24xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{requires a mesh or the symbol of one, but it is "x"}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = "x", axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<4x24xf32>
  return
}

// -----

#axis = #stablehlo.mesh_axis<name = "x", size = 0>
// expected-error@-1 {{axis 'x' of a mesh has size 0}}

// -----

// Sizes of groups follow from meshes that are in place.
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires 2 times the size along dimension 1}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// -----

// The part of an axis has its own.
func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_scatter' op requires 4 times the size along dimension 1}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 16>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>]>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_to_all' op requires groups of split_count devices, 4, but they have 2}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<16x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op attribute 'replica_groups' failed to satisfy constraint: lists of devices or axes of a mesh}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = 1 : i64}> : (tensor<4x8xf32>) -> tensor<4x24xf32>
  return
}
