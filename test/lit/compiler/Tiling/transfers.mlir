// Transfers among kernels: between those that they depend on, in their order, in loops and branches.
// RUN: systole-opt --systole-pipeline="to=kernel" %s | FileCheck %s

// CHECK: kernel.transfers = [
// CHECK-SAME: #kernel.transfer<send, channel = 2, type = tensor<4xf32>, layout = <{0:T(1,128)}>, source = "{{.*}}transfers.mlir:22:8">
// CHECK-SAME: #kernel.transfer<recv, channel = 3, type = tensor<4xf32>
// CHECK-SAME: #kernel.transfer<send, channel = 4, type = tensor<i32>
// CHECK-SAME: #kernel.transfer<send, channel = 5, type = tensor<3x1000xi8>, layout = <{0,1:T(1,128)(4,1)}>

// CHECK-LABEL: func.func @main()
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>, %narrow: tensor<1000x3xi8>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  // An array is computed before it is sent, and equal transfers are two.
  // CHECK: kernel.call
  // CHECK-NEXT: %[[S:.*]] = kernel.hbm {{.*}} : <4xf32, hbm>
  // CHECK-NEXT: kernel.to_host %[[S]], 0 : <4xf32, hbm>
  // CHECK-NEXT: kernel.hbm
  // CHECK-NEXT: kernel.to_host %{{.*}}, 0
  // CHECK-NEXT: %[[R:.*]] = kernel.hbm
  // CHECK-NEXT: kernel.from_host %[[R]], 1 : <4xf32, hbm>
  %y = stablehlo.add %x, %x : tensor<4xf32>
  %0 = "stablehlo.send"(%y, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.send"(%y, %0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // The loop's counter is the sequencer's: it is stored to be sent.
  // CHECK: scf.while
  // CHECK: do
  // CHECK: kernel.write_scalar
  // CHECK: kernel.to_host %{{.*}}, 2 : <i32, hbm>
  // CHECK: scf.yield
  %3:2 = stablehlo.while(%i = %zero, %token = %2#1) : tensor<i32>, !stablehlo.token
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %4 = "stablehlo.send"(%i, %token) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, is_host_transfer = true}> : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %4 : tensor<i32>, !stablehlo.token
  }
  // CHECK: scf.if
  // CHECK: kernel.to_host %{{.*}}, 3
  %q = stablehlo.compare LT, %n, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %5 = "stablehlo.if"(%q) ({
    %6 = "stablehlo.send"(%narrow, %3#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<1000x3xi8>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %6 : !stablehlo.token
  }, {
    stablehlo.return %3#1 : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  // CHECK: return
  return %2#0 : tensor<4xf32>
}
