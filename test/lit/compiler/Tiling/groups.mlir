// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Columns of weights in pairs of rows: 512 of the first rows, and those of the second ones, 11,008
// elements further on, in a window of whole rows of 512 bytes. They come apart as they are put
// together, and 4,096 of them are summed at once, since no cut goes through them.
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid (%{{.*}} = 22)
// CHECK-SAME: %[[EVEN:[^ ]*]] : !kernel.buffer<2048x1x22016xi8, hbm> #kernel.operand<in, block = [2048, 1, 512]
// CHECK-SAME: offset = [0, 0, 0]
// CHECK-SAME: %[[ODD:[^ ]*]] : !kernel.buffer<2048x1x22016xi8, hbm> #kernel.operand<in, block = [2048, 1, 1024]
// CHECK-SAME: offset = [0, 0, 10752]
// CHECK: %[[ROWS:.*]] = kernel.alloc : <2048x2x512xi8, vmem>
// CHECK-NEXT: kernel.copy %[[EVEN]] to %[[ROWS]] sizes = [2048, 1, 512]
// CHECK-NEXT: kernel.copy %[[ODD]] to %[[ROWS]] sizes = [2048, 1, 512]
// CHECK-NEXT: %[[WEIGHTS:.*]] = kernel.view %[[ROWS]] : <2048x2x512xi8, vmem> to <4096x512xi8, vmem>
// CHECK-NEXT: kernel.dot %{{.*}}, %[[WEIGHTS]] into
// CHECK-NEXT: kernel.return
func.func @main(%x: tensor<5x4096xi8>, %w: tensor<4096x11008xi8>) -> tensor<5x11008xi32> {
  %0 = kernel.reinterpret %w : tensor<4096x11008xi8> to tensor<2048x1x22016xi8>
  %1 = kernel.fusion "dot" (%pairs = %0, %a = %x) attributes {plan = #kernel.plan<axes = [<value 6 dim 1 by 512>]>}
      : (tensor<2048x1x22016xi8>, tensor<5x4096xi8>) -> tensor<5x11008xi32> {
    %even = stablehlo.slice %pairs [0:2048, 0:1, 0:11008] : (tensor<2048x1x22016xi8>) -> tensor<2048x1x11008xi8>
    %odd = stablehlo.slice %pairs [0:2048, 0:1, 11008:22016] : (tensor<2048x1x22016xi8>) -> tensor<2048x1x11008xi8>
    %both = stablehlo.concatenate %even, %odd, dim = 1 : (tensor<2048x1x11008xi8>, tensor<2048x1x11008xi8>) -> tensor<2048x2x11008xi8>
    %rows = stablehlo.reshape %both : (tensor<2048x2x11008xi8>) -> tensor<4096x11008xi8>
    %2 = stablehlo.dot_general %a, %rows, contracting_dims = [1] x [0] {kernel.whole_depth} : (tensor<5x4096xi8>, tensor<4096x11008xi8>) -> tensor<5x11008xi32>
    kernel.fused %2 : tensor<5x11008xi32>
  }
  return %1 : tensor<5x11008xi32>
}

// -----

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
