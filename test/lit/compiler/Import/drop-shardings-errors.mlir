// Programs for several devices are rejected, whatever is sharded in them.
// RUN: systole-opt --systole-drop-shardings %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@mesh, [], []>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// expected-error@+1 {{the program is divided among 8 devices, which is not supported yet}}
"sdy.mesh"() <{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 2>, #sdy.mesh_axis<"y", 4>], []>, sym_name = "mesh"}> : () -> ()

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{is divided among devices, which is not supported yet}}
  %0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy.manual_axes<["x"]>, out_shardings = #sdy.sharding_per_value<[]>}> ({
  ^bb0(%y: tensor<4xf32>):
    "sdy.return"(%y) : (tensor<4xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has no body}}
  %0 = "sdy.named_computation"(%x) <{name = "f"}> ({}) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{the program is divided among 2 devices, which is not supported yet}}
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

// Replication within groups of devices needs all of them.
// expected-error@+1 {{the program is divided among 4 devices, which is not supported yet}}
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error@+1 {{the program is divided among 18446744073709551615 devices, which is not supported yet}}
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{{replicated}, {devices=[4294967296,4294967297]<=[2]}}"}) {
  return %x : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{the program is divided among 2 devices, which is not supported yet}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]0,1}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is divided among devices, which is not supported yet}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A mesh of the sharding itself.
// expected-error@+1 {{the program is divided among 4 devices, which is not supported yet}}
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>}) {
  return
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{the program is divided among 6 devices, which is not supported yet}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 3>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func private @mesh()
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.all_gather' op has groups of a mesh @mesh, which is none}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = []>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Programs of several partitions keep Shardy's shardings, and cannot have GSPMD's.
module attributes {mhlo.num_partitions = 2 : i32} {
  // expected-error@+1 {{the program is divided among 2 devices, which is not supported yet}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{the program is divided among 2 devices, which is not supported yet}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
