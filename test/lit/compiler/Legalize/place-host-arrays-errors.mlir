// Memories that there are not.
// RUN: systole-opt %s --systole-place-host-arrays --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 1 is in an unknown memory, "host"; there are "device", "pinned_host" and "unpinned_host"}}
func.func @main(%x: tensor<8xf32> {mhlo.memory_kind = "device"}, %y: tensor<8xf32> {mhlo.memory_kind = "host"}) {
  return
}

// -----

// expected-error@+1 {{argument 0 is in an unknown memory, 5 : i64}}
func.func @main(%x: tensor<8xf32> {mhlo.memory_kind = 5 : i64}) {
  return
}

// -----

// expected-error@+1 {{result 0 is in an unknown memory, "host"}}
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32> {mhlo.memory_kind = "host"}) {
  return %x : tensor<8xf32>
}
