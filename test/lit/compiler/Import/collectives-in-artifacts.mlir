// Collective operations in artifacts of several versions of StableHLO.
// RUN: %systole-opt --systole-stablehlo-to-vhlo=version=1.20 %s | FileCheck %s --check-prefix=CHECK-NEW
// RUN: %systole-opt --systole-stablehlo-to-vhlo=version=1.4 %s | FileCheck %s --check-prefix=CHECK-OLD
// RUN: %systole-opt --systole-stablehlo-to-vhlo %s --systole-vhlo-to-stablehlo | FileCheck %s --check-prefix=CHECK-BACK
// RUN: systole-opt --emit-portable-artifact=1.20.0 %s -o %t && systole-opt --systole-vhlo-to-stablehlo %t | FileCheck %s --check-prefix=CHECK-BACK

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEW: "vhlo.all_reduce_v2"(%{{.*}}) <{channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 7>, {{.*}}use_global_device_ids = #vhlo.bool_v1<true>}>
  // CHECK-OLD: "vhlo.all_reduce_v1"(%{{.*}}) <{channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 7>
  // CHECK-BACK: "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}>
  %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEW: "vhlo.collective_broadcast_v2"(%{{.*}}) <{channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 0>, has_dynamic_root = #vhlo.bool_v1<false>
  // CHECK-OLD: "vhlo.collective_broadcast_v1"(%{{.*}}) <{channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 0>
  // CHECK-BACK: "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<0> : tensor<1x1xi64>}>
  %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEW: "vhlo.custom_call_v2"
  // CHECK-NEW-SAME: result_tilings = #vhlo.array_v1<[]>
  // CHECK-OLD: "vhlo.custom_call_v1"
  // CHECK-BACK: stablehlo.custom_call @foo(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @foo(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
