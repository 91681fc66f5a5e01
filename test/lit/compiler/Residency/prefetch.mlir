// RUN: systole-opt %s --systole-plan-fusions --systole-plan-residency="arrays=false" | FileCheck %s

// The first fusion loads what the second one reads first: its first block of %b, of which VMEM has
// two, but not its own result. Neighbours have places of their own.
// CHECK-LABEL: func.func @chain
func.func @chain(%a: tensor<8x128xf32>, %b: tensor<8192x1024xf32>, %c: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  // CHECK: kernel.fusion "loop" {{.*}} attributes {plan = {{.*}}, reserved = [[FIRST:[0-9]+]] : i64}
  %0 = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %s = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %s : tensor<8x128xf32>
  }
  // CHECK: kernel.fusion "loop" {{.*}} attributes {plan = {{.*}}, prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = [[FIRST]], place = [[FIRST]]>>], reserved = [[SECOND:[0-9]+]] : i64}
  %1 = kernel.fusion "loop" (%x = %0, %y = %b) : (tensor<8x128xf32>, tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
    %r = stablehlo.slice %x [0:1, 0:1] : (tensor<8x128xf32>) -> tensor<1x1xf32>
    %s = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<8192x1024xf32>
    %t = stablehlo.add %s, %y : tensor<8192x1024xf32>
    kernel.fused %t : tensor<8192x1024xf32>
  }
  // CHECK: kernel.fusion "loop" {{.*}} attributes {plan = {{.*}}, prefetched = [#kernel.prefetch<input = 1, placement = <next, rows = {{[0-9]+}}, place = [[SECOND]]>>], reserved = [[SECOND]] : i64}
  %2 = kernel.fusion "loop" (%x = %1, %y = %c) : (tensor<8192x1024xf32>, tensor<256x1024xf32>) -> tensor<256x1024xf32> {
    %s = stablehlo.slice %x [0:256, 0:1024] : (tensor<8192x1024xf32>) -> tensor<256x1024xf32>
    %t = stablehlo.add %s, %y : tensor<256x1024xf32>
    kernel.fused %t : tensor<256x1024xf32>
  }
  return %2 : tensor<256x1024xf32>
}

// Too little is saved for a routine of its own.
// CHECK-LABEL: func.func @small
// CHECK-NOT: prefetched =
func.func @small(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %s = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %s : tensor<8x128xf32>
  }
  %1 = kernel.fusion "loop" (%x = %0, %y = %b) : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32> {
    %t = stablehlo.add %x, %y : tensor<8x128xf32>
    kernel.fused %t : tensor<8x128xf32>
  }
  return %1 : tensor<8x128xf32>
}

// Nothing is prefetched across control flow: not for the first kernel of a loop, nor for the one behind it.
// CHECK-LABEL: func.func @control
// CHECK-NOT: prefetched =
func.func @control(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>, %p: tensor<i1>) -> tensor<1024x1024xf32> {
  %0 = kernel.fusion "loop" (%x = %a) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %s = stablehlo.add %x, %x : tensor<1024x1024xf32>
    kernel.fused %s : tensor<1024x1024xf32>
  }
  %1 = stablehlo.while(%s = %0) : tensor<1024x1024xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = kernel.fusion "loop" (%x = %s, %y = %b) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
      %t = stablehlo.add %x, %y : tensor<1024x1024xf32>
      kernel.fused %t : tensor<1024x1024xf32>
    }
    stablehlo.return %2 : tensor<1024x1024xf32>
  }
  %3 = kernel.fusion "loop" (%x = %1, %y = %b) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %t = stablehlo.add %x, %y : tensor<1024x1024xf32>
    kernel.fused %t : tensor<1024x1024xf32>
  }
  return %3 : tensor<1024x1024xf32>
}

// Nor an array that is placed in a row of another one, known when the program runs: the third kernel loads %2 itself.
// CHECK-LABEL: func.func @part
// CHECK: stablehlo.multiply
// CHECK-NOT: prefetched =
// CHECK: kernel.replace_part
func.func @part(%a: tensor<1024x128xf32>, %b: tensor<1024x128xf32>, %stack: tensor<4x1024x128xf32>, %p: tensor<i1>) -> tensor<4x1024x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %s = %a, %t = %stack) : tensor<i32>, tensor<1024x128xf32>, tensor<4x1024x128xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = kernel.fusion "loop" (%x = %s) : (tensor<1024x128xf32>) -> tensor<1024x128xf32> {
      %u = stablehlo.add %x, %x : tensor<1024x128xf32>
      kernel.fused %u : tensor<1024x128xf32>
    }
    %3 = kernel.fusion "loop" (%x = %s, %y = %b) : (tensor<1024x128xf32>, tensor<1024x128xf32>) -> tensor<1024x128xf32> {
      %u = stablehlo.multiply %x, %y : tensor<1024x128xf32>
      kernel.fused %u : tensor<1024x128xf32>
    }
    %4 = kernel.fusion "loop" (%x = %3, %y = %2) : (tensor<1024x128xf32>, tensor<1024x128xf32>) -> tensor<1024x128xf32> {
      %u = stablehlo.add %x, %y : tensor<1024x128xf32>
      kernel.fused %u : tensor<1024x128xf32>
    }
    %row = kernel.reinterpret %2 : tensor<1024x128xf32> to tensor<1x1024x128xf32>
    %next = kernel.replace_part %t, %row[%i, %zero, %zero] : (tensor<4x1024x128xf32>, tensor<1x1024x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1024x128xf32>
    %more = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %more, %4, %next : tensor<i32>, tensor<1024x128xf32>, tensor<4x1024x128xf32>
  }
  return %0#2 : tensor<4x1024x128xf32>
}
