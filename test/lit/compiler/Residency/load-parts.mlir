// RUN: %systole-opt %s --systole-plan-residency="target=v3 first-blocks=false" | FileCheck %s

// Both weights of an iteration come from HBM. If one alone were loaded ahead, the kernel of the other would wait
// for that load, which HBM's channel serves first; together they are in flight while the products run. What is read
// second is loaded while the first product runs: its part moves in front of that.
// CHECK-LABEL: @two_products
// CHECK: stablehlo.while
// CHECK: %[[W:.*]] = kernel.part %arg1
// CHECK: %[[KW:.*]] = kernel.resident %[[W]] {{.*}} placement = <prefetch, rows = 8192, place = {{[0-9]+}}, flag = 32>
// CHECK: %[[V:.*]] = kernel.part %arg2
// CHECK: %[[KV:.*]] = kernel.resident %[[V]] {{.*}} placement = <iteration, rows = 8192, place = {{[0-9]+}}, flag = 33>
// CHECK: %[[Z:.*]] = kernel.fusion "dot" (%{{.*}} = %{{.*}}, %{{.*}} = %[[KW]])
// CHECK: %[[KZ:.*]] = kernel.resident %[[Z]]
// CHECK: kernel.fusion "dot" (%{{.*}} = %[[KZ]], %{{.*}} = %[[KV]])
func.func @two_products(%x: tensor<128x1024xf32>, %ws: tensor<12x1024x1024xf32>, %vs: tensor<12x1024x1024xf32>) -> tensor<128x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<128x1024xf32>
  cond {
    %trips = stablehlo.constant dense<12> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %w = kernel.part %ws[%i, %zero, %zero] sizes = [1, 1024, 1024] : (tensor<12x1024x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1024x1024xf32>
    %z = kernel.fusion "dot" (%a = %s, %b = %w) : (tensor<128x1024xf32>, tensor<1024x1024xf32>) -> tensor<128x1024xbf16> {
      %0 = stablehlo.convert %b : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
      %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] {kernel.single_pass} : (tensor<128x1024xf32>, tensor<1024x1024xbf16>) -> tensor<128x1024xf32>
      %2 = stablehlo.convert %1 : (tensor<128x1024xf32>) -> tensor<128x1024xbf16>
      kernel.fused %2 : tensor<128x1024xbf16>
    }
    %v = kernel.part %vs[%i, %zero, %zero] sizes = [1, 1024, 1024] : (tensor<12x1024x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1024x1024xf32>
    %n = kernel.fusion "dot" (%a = %z, %b = %v) : (tensor<128x1024xbf16>, tensor<1024x1024xf32>) -> tensor<128x1024xf32> {
      %0 = stablehlo.convert %b : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
      %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] {kernel.single_pass} : (tensor<128x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<128x1024xf32>
      kernel.fused %1 : tensor<128x1024xf32>
    }
    stablehlo.return %next, %n : tensor<i32>, tensor<128x1024xf32>
  }
  return %r#1 : tensor<128x1024xf32>
}

// With one product nothing runs while the part is loaded: its kernel loads it block by block.
// CHECK-LABEL: @one_product
// CHECK: stablehlo.while
// CHECK-NOT: flag =
func.func @one_product(%x: tensor<128x1024xf32>, %ws: tensor<12x1024x1024xf32>) -> tensor<128x1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<128x1024xf32>
  cond {
    %trips = stablehlo.constant dense<12> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %w = kernel.part %ws[%i, %zero, %zero] sizes = [1, 1024, 1024] : (tensor<12x1024x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1024x1024xf32>
    %n = kernel.fusion "dot" (%a = %s, %b = %w) : (tensor<128x1024xf32>, tensor<1024x1024xf32>) -> tensor<128x1024xf32> {
      %0 = stablehlo.convert %b : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
      %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] {kernel.single_pass} : (tensor<128x1024xf32>, tensor<1024x1024xbf16>) -> tensor<128x1024xf32>
      kernel.fused %1 : tensor<128x1024xf32>
    }
    stablehlo.return %next, %n : tensor<i32>, tensor<128x1024xf32>
  }
  return %r#1 : tensor<128x1024xf32>
}
