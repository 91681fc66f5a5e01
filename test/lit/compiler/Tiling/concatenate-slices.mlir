// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// A concatenation takes slices from where they are.
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-NEXT: kernel.copy %{{.*}} to %{{.*}} sizes = [12, 256] from #map into #map{{[0-9]*}} : <40x256xf32, vmem>, <24x256xf32, vmem>
// CHECK-NEXT: kernel.copy %{{.*}} to %{{.*}} sizes = [12, 256] from {{.*}} : <50x256xf32, vmem>, <24x256xf32, vmem>
// CHECK-NEXT: kernel.return
func.func @main(%x: tensor<40x256xf32>, %y: tensor<50x256xf32>) -> tensor<24x256xf32> {
  %0 = kernel.fusion "copy" (%a = %x, %b = %y) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<40x256xf32>, tensor<50x256xf32>) -> tensor<24x256xf32> {
    %1 = stablehlo.slice %a [3:15, 0:256] : (tensor<40x256xf32>) -> tensor<12x256xf32>
    %2 = stablehlo.slice %b [7:19, 0:256] : (tensor<50x256xf32>) -> tensor<12x256xf32>
    %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<12x256xf32>, tensor<12x256xf32>) -> tensor<24x256xf32>
    kernel.fused %3 : tensor<24x256xf32>
  }
  return %0 : tensor<24x256xf32>
}
