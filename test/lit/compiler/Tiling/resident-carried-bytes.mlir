// RUN: %systole-opt %s --systole-pipeline="from=fusion to=kernel target=v2" | FileCheck %s

// The array is kept in 3,556 rows of 512 bytes, 889 times 4: stored as cells of 8 bits, in blocks of whole groups of
// eight rows, between which VMEM has no padding.
// CHECK-LABEL: func.func @main
// CHECK: kernel.func @copy grid ({{.*}} = 127) ({{.*}}<14224x128xi8, vmem> #kernel.operand<in, block = [112, 128], {{.*}}resident = 3556>
func.func @main(%s0: tensor<7x127x1024xbf16>) -> tensor<7x127x1024xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %k = kernel.resident %s0 block = [7, 127, 1024] placement = <carried, rows = 3556, place = 3556> : tensor<7x127x1024xbf16>
  %r:2 = stablehlo.while(%i = %zero, %s = %k) : tensor<i32>, tensor<7x127x1024xbf16>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = kernel.fusion "loop" (%a = %s0) : (tensor<7x127x1024xbf16>) -> tensor<7x127x1024xbf16> {
      %0 = stablehlo.add %a, %a : tensor<7x127x1024xbf16>
      kernel.fused %0 : tensor<7x127x1024xbf16>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<7x127x1024xbf16>
  }
  return %r#1 : tensor<7x127x1024xbf16>
}
