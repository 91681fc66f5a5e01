// RUN: %systole-opt %s --systole-plan-residency="target=v3 first-blocks=false" | FileCheck %s
// RUN: %systole-opt %s --systole-plan-residency="target=v3 vmem-bytes=4194304 first-blocks=false" | FileCheck %s --check-prefix=SMALL

// The product's kernel writes what the other one reads, that the state of the next trip; the weights are
// loaded once, and each part by the trip before.
// CHECK-LABEL: @layer
// CHECK-SAME: %[[H:[^:]*]]: tensor<128x1024xf32>, %[[W:[^:]*]]: tensor<1024x2048xbf16>
// CHECK-DAG: %[[KW:.*]] = kernel.resident %[[W]] block = [1024, 2048] placement = <loop,
// CHECK-DAG: %[[KH:.*]] = kernel.resident %[[H]] block = [128, 1024] placement = <carried,
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %[[S:.*]] = %[[KH]])
// CHECK: %[[X:.*]] = kernel.part
// CHECK-NEXT: %[[KX:.*]] = kernel.resident %[[X]] block = [128, 2048] placement = <{{prefetch|iteration}}, rows = 2048, place = {{[0-9]+}}, flag = 32>
// CHECK: %[[Z:.*]] = kernel.fusion "dot" (%{{.*}} = %[[S]], %{{.*}} = %[[KW]])
// CHECK: %[[KZ:.*]] = kernel.resident %[[Z]] block = [128, 2048] placement = <kernels,
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[KZ]], %{{.*}} = %[[KX]])

// Weights of 4 MB do not fit beside what the kernels need, which is what they hand to each other.
// SMALL-LABEL: @layer
// SMALL-SAME: %[[H:[^:]*]]: tensor<128x1024xf32>, %[[W:[^:]*]]: tensor<1024x2048xbf16>
// SMALL-NOT: kernel.resident %[[W]]
func.func @layer(%h: tensor<128x1024xf32>, %w: tensor<1024x2048xbf16>, %xs: tensor<40x128x2048xf32>) -> tensor<128x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %h) : tensor<i32>, tensor<128x1024xf32>
  cond {
    %trips = stablehlo.constant dense<40> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %x = kernel.part %xs[%i, %zero, %zero] sizes = [1, 128, 2048] : (tensor<40x128x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<128x2048xf32>
    %z = kernel.fusion "dot" (%a = %s, %b = %w) : (tensor<128x1024xf32>, tensor<1024x2048xbf16>) -> tensor<128x2048xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {kernel.single_pass} : (tensor<128x1024xf32>, tensor<1024x2048xbf16>) -> tensor<128x2048xf32>
      kernel.fused %0 : tensor<128x2048xf32>
    }
    %n = kernel.fusion "loop" (%a = %z, %b = %x) : (tensor<128x2048xf32>, tensor<128x2048xf32>) -> tensor<128x1024xf32> {
      %0 = stablehlo.add %a, %b : tensor<128x2048xf32>
      %1 = stablehlo.slice %0 [0:128, 0:1024] : (tensor<128x2048xf32>) -> tensor<128x1024xf32>
      %2 = stablehlo.slice %0 [0:128, 1024:2048] : (tensor<128x2048xf32>) -> tensor<128x1024xf32>
      %3 = stablehlo.multiply %1, %2 : tensor<128x1024xf32>
      kernel.fused %3 : tensor<128x1024xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<128x1024xf32>
  }
  return %r#1 : tensor<128x1024xf32>
}

// What a kernel reads and replaces in one step has its home in HBM.
// CHECK-LABEL: @accumulate
// CHECK-NOT: kernel.resident
func.func @accumulate(%h: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %h) : tensor<i32>, tensor<512x1024xf32>
  cond {
    %trips = stablehlo.constant dense<40> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = kernel.fusion "loop" (%a = %s) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
      %0 = stablehlo.multiply %a, %a : tensor<512x1024xf32>
      kernel.fused %0 : tensor<512x1024xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<512x1024xf32>
  }
  return %r#1 : tensor<512x1024xf32>
}

// The first result stays until the last of its two readers; a result that leaves the function does not.
// CHECK-LABEL: @chain
// CHECK: %[[M:.*]] = kernel.fusion "loop" {{.*}}reserved = [[#BOTH:]] :
// CHECK: %[[KM:.*]] = kernel.resident %[[M]] block = [512, 1024] placement = <kernels, rows = {{[0-9]+}}, place = [[#BOTH]]>
// CHECK: %[[N:.*]] = kernel.fusion "loop" (%{{.*}} = %[[KM]])
// CHECK: %[[KN:.*]] = kernel.resident %[[N]] block = [512, 1024] placement = <kernels, rows = {{[0-9]+}}, place = [[#FIRST:]]>
// CHECK: %[[O:.*]] = kernel.fusion "loop" (%{{.*}} = %[[KN]])
// CHECK-NOT: kernel.resident
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[KM]])
// CHECK-NOT: kernel.resident
// CHECK: return %[[O]]
func.func @chain(%h: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %m = kernel.fusion "loop" (%a = %h) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = stablehlo.multiply %a, %a : tensor<512x1024xf32>
    kernel.fused %0 : tensor<512x1024xf32>
  }
  %n = kernel.fusion "loop" (%a = %m) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = stablehlo.exponential %a : tensor<512x1024xf32>
    kernel.fused %0 : tensor<512x1024xf32>
  }
  %o = kernel.fusion "loop" (%a = %n) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = stablehlo.add %a, %a : tensor<512x1024xf32>
    kernel.fused %0 : tensor<512x1024xf32>
  }
  %p = kernel.fusion "loop" (%a = %m) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %0 = stablehlo.negate %a : tensor<512x1024xf32>
    kernel.fused %0 : tensor<512x1024xf32>
  }
  return %o, %p : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// A kernel that the program brings along may use all of VMEM: nothing is kept while it runs.
// CHECK-LABEL: @around_a_kernel
// CHECK-NOT: kernel.resident
// CHECK: return
func.func @around_a_kernel(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %a = kernel.fusion "loop" (%b = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %b : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %k = kernel.mosaic_call @own(%x) aliases = [-1] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = kernel.fusion "loop" (%b = %a, %c = %k) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.add %b, %c : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  return %r : tensor<1024x1024xf32>
}
