// RUN: systole-opt %s --systole-place-host-arrays --split-input-file --verify-diagnostics | FileCheck %s

// Arguments and results in the memory of the host leave the signature; what is passed through is
// copied.
// CHECK: module @entry attributes {kernel.host_arrays = [
// CHECK-SAME: #kernel.host_array<pinned_host, type = tensor<8x128xf32>, argument = 1>
// CHECK-SAME: #kernel.host_array<unpinned_host, type = tensor<8x128xf32>, result = 0>
// CHECK-SAME: #kernel.host_array<pinned_host, type = tensor<8x128xf32>, result = 2>
// CHECK-LABEL: func.func @main(%arg0: tensor<8x128xf32>) -> tensor<8x128xf32>
// CHECK: %[[X:.*]] = kernel.fetch 0 : tensor<8x128xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %[[X]]
// CHECK: kernel.offload %[[SUM]] to 1 : tensor<8x128xf32>
// CHECK: %[[SAME:.*]] = kernel.fetch 0
// CHECK: kernel.offload %[[SAME]] to 2
// CHECK: return %arg0
module @entry {
  func.func @main(%x: tensor<8x128xf32>, %y: tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"})
      -> (tensor<8x128xf32> {mhlo.memory_kind = "unpinned_host"}, tensor<8x128xf32>,
          tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = stablehlo.custom_call @annotate_device_placement(%y) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %1 = stablehlo.add %x, %0 : tensor<8x128xf32>
    %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "unpinned_host"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
    return %2, %x, %y : tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>
  }
}

// -----

// An argument that the caller gives up is the result that it is returned as.
// CHECK: module @donated attributes {kernel.host_arrays = [
// CHECK-SAME: #kernel.host_array<pinned_host, type = tensor<4xf32>, argument = 0, result = 0, donated = true>]
// CHECK-LABEL: func.func @main() {
// CHECK-NEXT: return
module @donated {
  func.func @main(%x: tensor<4xf32> {mhlo.memory_kind = "pinned_host", tf.aliasing_output = 0 : i32})
      -> (tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
    return %x : tensor<4xf32>
  }
}

// -----

// A loop stacks its trips on the host, and another one reads them: parts of one array, which the
// loops do not carry.
// CHECK: module @stack attributes {kernel.host_arrays = [
// CHECK-SAME: #kernel.host_array<pinned_host, type = tensor<6x3x5xbf16>>]
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK-NOT: tensor<6x3x5xbf16>
// CHECK: kernel.offload %{{.*}} to 0 at %{{.*}} : tensor<i32> of 6 : tensor<1x3x5xbf16>
// CHECK: stablehlo.while
// CHECK: kernel.fetch 0 at %{{.*}} : tensor<i32> of 6 : tensor<1x3x5xbf16>
module @stack {
  func.func @main(%x: tensor<1x3x5xbf16>) -> tensor<1x3x5xbf16> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<6> : tensor<i32>
    %fill = stablehlo.constant dense<0.0> : tensor<6x3x5xbf16>
    %0:3 = stablehlo.while(%i = %zero, %y = %x, %s = %fill) : tensor<i32>, tensor<1x3x5xbf16>, tensor<6x3x5xbf16>
    cond {
      %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %1 = stablehlo.add %y, %y : tensor<1x3x5xbf16>
      %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<1x3x5xbf16>) -> tensor<1x3x5xbf16>
      %3 = stablehlo.dynamic_update_slice %s, %2, %i, %zero, %zero : (tensor<6x3x5xbf16>, tensor<1x3x5xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x3x5xbf16>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %4, %1, %3 : tensor<i32>, tensor<1x3x5xbf16>, tensor<6x3x5xbf16>
    }
    %5:3 = stablehlo.while(%i = %zero, %y = %x, %s = %0#2) : tensor<i32>, tensor<1x3x5xbf16>, tensor<6x3x5xbf16>
    cond {
      %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %6 = stablehlo.dynamic_slice %s, %i, %zero, %zero, sizes = [1, 3, 5] : (tensor<6x3x5xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x5xbf16>
      %7 = stablehlo.custom_call @annotate_device_placement(%6) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<1x3x5xbf16>) -> tensor<1x3x5xbf16>
      %8 = stablehlo.add %y, %7 : tensor<1x3x5xbf16>
      %9 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %9, %8, %s : tensor<i32>, tensor<1x3x5xbf16>, tensor<6x3x5xbf16>
    }
    return %5#1 : tensor<1x3x5xbf16>
  }
}

// -----

// Half a row: the loop keeps the array on the device, and it is copied as a whole.
// CHECK-LABEL: module @halves
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice
// CHECK: kernel.offload %{{.*}} to 0 : tensor<6x100xbf16>
module @halves {
  func.func @main(%x: tensor<1x100xbf16>) -> (tensor<6x100xbf16> {mhlo.memory_kind = "pinned_host"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<6> : tensor<i32>
    %fill = stablehlo.constant dense<0.0> : tensor<6x100xbf16>
    %0:2 = stablehlo.while(%i = %zero, %s = %fill) : tensor<i32>, tensor<6x100xbf16>
    cond {
      %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %2 = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<1x100xbf16>) -> tensor<1x100xbf16>
      %3 = stablehlo.dynamic_update_slice %s, %2, %i, %zero : (tensor<6x100xbf16>, tensor<1x100xbf16>, tensor<i32>, tensor<i32>) -> tensor<6x100xbf16>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<6x100xbf16>
    }
    return %0#1 : tensor<6x100xbf16>
  }
}

// -----

func.func @main(%x: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<4xf32> {
  // expected-error @below {{operation 'stablehlo.multiply' computes on an array in the memory of the host, which only copies can access}}
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{there is no memory 'sparsecore'; there are device, pinned_host and unpinned_host}}
  %0 = stablehlo.custom_call @annotate_device_placement(%x) {mhlo.frontend_attributes = {_xla_buffer_placement = "sparsecore"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{requires the frontend attribute _xla_buffer_placement}}
  %0 = stablehlo.custom_call @annotate_device_placement(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{layouts of arguments and results in the memory of the host are not supported}}
func.func @main(%x: tensor<4x8xf32> {mhlo.memory_kind = "pinned_host", mhlo.layout_mode = "{0,1}"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// What a barrier holds back after it has been fetched stays on the device.
// CHECK-LABEL: module @fetched
// CHECK: %[[PART:.*]] = kernel.fetch 0
// CHECK-NOT: kernel.offload
// CHECK: %[[B:.*]] = stablehlo.optimization_barrier %[[PART]]
// CHECK-NOT: kernel.fetch
// CHECK: return %[[B]]
module @fetched {
func.func @main(%x: tensor<2x8x128xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<1x8x128xf32> {
  %p = stablehlo.slice %x [1:2, 0:8, 0:128] : (tensor<2x8x128xf32>) -> tensor<1x8x128xf32>
  %b = stablehlo.optimization_barrier %p : tensor<1x8x128xf32>
  %d = stablehlo.custom_call @annotate_device_placement(%b) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<1x8x128xf32>) -> tensor<1x8x128xf32>
  return %d : tensor<1x8x128xf32>
}
}
