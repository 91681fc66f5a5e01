// RUN: %systole-opt %s --systole-pipeline="to=core cross-kernel=false" | FileCheck %s

// Two kernels with an operand in the first 64 rows of VMEM: both name one region, number 4, that
// belongs to neither. HBM comes last, since loads and stores, whose fields have 12 bits, never
// name it; spills come first.
// CHECK: core.regions = [#core.region<name = "spill", space = vmem, base = 0, size = 0, owner = "">
// CHECK-SAME: #core.region<name = "shared", space = vmem, base = 0, size = 64, owner = "">
// CHECK-NOT: space = vmem, base = 0, size = 64,
// CHECK-SAME: #core.region<name = "arg0", space = hbm,
// CHECK-NOT: space = vmem
// CHECK-LABEL: func.func private @{{[^ (]*}}dot{{[^ (]*}}
// CHECK: core.vld.b32 {{.*}}region = 4 : i32
// CHECK-LABEL: func.func private @{{[^ (]*}}dot{{[^ (]*}}
// CHECK: core.vld.b32 {{.*}}region = 4 : i32
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.negate %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
