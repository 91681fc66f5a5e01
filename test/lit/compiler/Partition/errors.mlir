// Shardings that are none: one error each, with its place.
// RUN: systole-opt --systole-partition --split-input-file --verify-diagnostics %s

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{returns a value of type 'tensor<2x4xf32>' for a part of type 'tensor<4x2xf32>'}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%p: tensor<2x4xf32>) {
      sdy.return %p : tensor<2x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{is manual along axis q, which its mesh has not}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"q"} (%p: tensor<4x4xf32>) {
      sdy.return %p : tensor<4x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "x"=4]>
  // expected-error@+1 {{has a mesh with two axes x}}
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296]>
  // expected-error@+1 {{has a mesh with more devices than there are numbers}}
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error@+1 {{has a sharding along one axis twice}}
  func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"x"}>}) -> tensor<4x4xf32> {
    return %x : tensor<4x4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@+1 {{infeed and outfeed are not supported in programs for several cores}}
    kernel.send %x to queue 0 : tensor<4xf32>
    return
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @third = <[], device_ids=[2]>
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@+1 {{exchanges data with the host on device 2 of a program for 2}}
    kernel.send %x to 2 {sdy.transfer_sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<4xf32>
    return
  }
}
