// Transfers keep program order; tokens are removed.
// RUN: systole-opt --systole-lower-tokens %s | FileCheck %s
// RUN: systole-opt --systole-lower-tokens %s | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[T:.*]]: tensor<0xi1>, %[[X:.*]]: tensor<3xf32>) -> (tensor<0xi1>, tensor<3xf32>, tensor<i32>)
func.func @main(%t: !stablehlo.token, %x: tensor<3xf32>) -> (!stablehlo.token, tensor<3xf32>, tensor<i32>) {
  // CHECK-NEXT: kernel.send %[[X]] to 2 : tensor<3xf32>
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: %[[Y:.*]] = kernel.recv 3 : tensor<3xf32>
  %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  // CHECK-NEXT: %[[Z:.*]] = kernel.recv 4 : tensor<i32>
  %2:2 = "stablehlo.recv"(%1#1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  // CHECK-NEXT: %[[R:.*]] = call @callee(%[[T]]) : (tensor<0xi1>) -> tensor<0xi1>
  %3 = func.call @callee(%2#1) : (!stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: return %[[R]], %[[Y]], %[[Z]] : tensor<0xi1>, tensor<3xf32>, tensor<i32>
  return %3, %1#0, %2#0 : !stablehlo.token, tensor<3xf32>, tensor<i32>
}

// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<0xi1>) -> tensor<0xi1>
func.func private @callee(%t: !stablehlo.token) -> !stablehlo.token {
  // CHECK: stablehlo.constant dense<> : tensor<0xi1>
  %0 = stablehlo.create_token : !stablehlo.token
  // CHECK: %[[ALL:.*]] = stablehlo.constant dense<> : tensor<0xi1>
  %1 = stablehlo.after_all %t, %0 : !stablehlo.token
  // CHECK: return %[[ALL]]
  return %1 : !stablehlo.token
}

// Several arrays are sent one after the other; a transfer without arrays sends an empty one.
// CHECK-LABEL: func.func private @several
// CHECK-SAME: (%{{.*}}: tensor<0xi1>, %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<i8>)
func.func private @several(%t: !stablehlo.token, %x: tensor<3xf32>, %y: tensor<i8>) -> (tensor<4xi32>, tensor<i1>) {
  // CHECK-NEXT: kernel.send %[[X]] to 2 : tensor<3xf32>
  // CHECK-NEXT: kernel.send %[[Y]] to 2 array 1 : tensor<i8>
  // CHECK-NEXT: kernel.send %[[X]] to 2 array 2 : tensor<3xf32>
  %0 = "stablehlo.send"(%x, %y, %x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, tensor<i8>, tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: %[[NONE:.*]] = stablehlo.constant dense<> : tensor<0xi1>
  // CHECK-NEXT: kernel.send %[[NONE]] to 3 : tensor<0xi1>
  %1 = "stablehlo.send"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: %[[A:.*]] = kernel.recv 4 : tensor<4xi32>
  // CHECK-NEXT: %[[B:.*]] = kernel.recv 4 array 1 : tensor<i1>
  %2:3 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xi32>, tensor<i1>, !stablehlo.token)
  // CHECK-NEXT: kernel.recv 5 : tensor<0xi1>
  %3 = "stablehlo.recv"(%2#2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: return %[[A]], %[[B]]
  return %2#0, %2#1 : tensor<4xi32>, tensor<i1>
}

// In loops and branches tokens become empty arrays.
// CHECK-LABEL: func.func private @control
func.func private @control(%t: !stablehlo.token, %x: tensor<3xf32>, %p: tensor<i1>) -> !stablehlo.token {
  // CHECK: %[[LOOP:.*]] = stablehlo.while(%[[ARG:.*]] = %{{.*}}) : tensor<0xi1>
  %0 = stablehlo.while(%iter = %t) : !stablehlo.token
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    // CHECK: kernel.send %{{.*}} to 2 : tensor<3xf32>
    // CHECK-NEXT: stablehlo.return %[[ARG]] : tensor<0xi1>
    %1 = "stablehlo.send"(%x, %iter) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %1 : !stablehlo.token
  }
  // CHECK: "stablehlo.if"
  %2 = "stablehlo.if"(%p) ({
    // CHECK: kernel.send %{{.*}} to 5 : tensor<i1>
    // CHECK-NEXT: stablehlo.return %[[LOOP]] : tensor<0xi1>
    %3 = "stablehlo.send"(%p, %0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<i1>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %3 : !stablehlo.token
  }, {
    stablehlo.return %0 : !stablehlo.token
  // CHECK: (tensor<i1>) -> tensor<0xi1>
  }) : (tensor<i1>) -> !stablehlo.token
  return %2 : !stablehlo.token
}

// Transfers through a queue have numbers by their types.
// CHECK-LABEL: func.func private @queues
// CHECK-SAME: (%[[T:.*]]: tensor<0xi1>)
func.func private @queues(%t: !stablehlo.token) -> !stablehlo.token {
  // CHECK-NEXT: %[[A:.*]] = kernel.recv queue 0 : tensor<4xi32>
  // CHECK-NEXT: %[[B:.*]] = kernel.recv queue 0 array 1 : tensor<i1>
  %0:3 = "stablehlo.infeed"(%t) <{layout = [[0], []]}> : (!stablehlo.token) -> (tensor<4xi32>, tensor<i1>, !stablehlo.token)
  // CHECK-NEXT: kernel.send %[[B]] to queue 0 : tensor<i1>
  // CHECK-NEXT: kernel.send %[[A]] to queue 0 array 1 : tensor<4xi32>
  %1 = "stablehlo.outfeed"(%0#1, %0#0, %0#2) : (tensor<i1>, tensor<4xi32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: kernel.recv queue 1 : tensor<4xi32>
  %2:2 = "stablehlo.infeed"(%1) : (!stablehlo.token) -> (tensor<4xi32>, !stablehlo.token)
  // CHECK-NEXT: kernel.recv queue 0 : tensor<4xi32>
  // CHECK-NEXT: kernel.recv queue 0 array 1 : tensor<i1>
  %3:3 = "stablehlo.infeed"(%2#1) : (!stablehlo.token) -> (tensor<4xi32>, tensor<i1>, !stablehlo.token)
  // No arrays are no transfer.
  // CHECK-NEXT: return %[[T]]
  %4 = "stablehlo.infeed"(%3#2) : (!stablehlo.token) -> !stablehlo.token
  %5 = "stablehlo.outfeed"(%4) : (!stablehlo.token) -> !stablehlo.token
  return %5 : !stablehlo.token
}
