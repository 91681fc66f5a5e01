// RUN: %systole-opt --systole-drop-collectives %s | FileCheck %s

// On a single device results are operands.
// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>, %[[Y:.*]]: tensor<3xbf16>)
// CHECK-NEXT: %[[W:.*]] = stablehlo.convert %[[Y]] : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK-NEXT: return %[[X]], %[[W]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4x2xf32>, %y: tensor<3xbf16>)
    -> (tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0:2 = "stablehlo.all_reduce"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<3xbf16>) -> (tensor<4x2xf32>, tensor<3xf32>)
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0#0, %0#1, %1, %2, %3, %4, %5 : tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// A device that receives nothing has zeros, and all device ids are 0.
// CHECK-LABEL: @zeros
// CHECK-DAG: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[P:.*]] = stablehlo.constant dense<0> : tensor<ui32>
// CHECK-DAG: %[[R:.*]] = stablehlo.constant dense<0> : tensor<ui32>
// CHECK-NOT: "stablehlo.
func.func @zeros(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>, tensor<ui32>) {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.partition_id : tensor<ui32>
  %2 = stablehlo.replica_id : tensor<ui32>
  return %0, %1, %2 : tensor<4xf32>, tensor<ui32>, tensor<ui32>
}

// Quantized zeros are zero points.
// CHECK-LABEL: @zeros_of_other_types
// CHECK: %[[C:.*]] = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
// CHECK: %[[Q:.*]] = stablehlo.constant() <{value = dense<-3> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-3>>
// CHECK: return %[[C]], %[[Q]]
!q = !quant.uniform<i8:f32, 0.5:-3>
func.func @zeros_of_other_types(%c: tensor<4xcomplex<f32>>, %q: tensor<4x!q>) -> (tensor<4xcomplex<f32>>, tensor<4x!q>) {
  %0 = "stablehlo.collective_permute"(%c) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = "stablehlo.collective_permute"(%q) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4x!q>) -> tensor<4x!q>
  return %0, %1 : tensor<4xcomplex<f32>>, tensor<4x!q>
}

// A splat may stand for any number of devices.
// CHECK-LABEL: func.func @fillers
// CHECK-NOT: "stablehlo.
func.func @fillers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<-1> : tensor<1x1000000000000xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Whatever the root, the device has all there is.
// CHECK-LABEL: func.func @roots(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[ROOT:.*]]: tensor<1xi32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @roots(%x: tensor<4xf32>, %root: tensor<1xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%x, %root) <{replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_reduce"(%x, %root) <{replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  %2 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
