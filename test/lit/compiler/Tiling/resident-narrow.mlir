// RUN: %systole-opt %s --systole-pipeline="from=fusion to=kernel target=v3" | FileCheck %s

// VMEM keeps seven elements of bf16 in the 4 rows of a packed row tile, HBM in 8: those 4 are stored, as 16 of bytes.
// CHECK-LABEL: func.func @main
// CHECK: kernel.func @copy grid () ({{.*}}<16x128xi8, vmem> #kernel.operand<in, block = [16, 128], {{.*}}resident = 4>
func.func @main(%s0: tensor<7xbf16>) -> tensor<7xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %k = kernel.resident %s0 block = [7] placement = <carried, rows = 4, place = 4> : tensor<7xbf16>
  %r:2 = stablehlo.while(%i = %zero, %s = %k) : tensor<i32>, tensor<7xbf16>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = kernel.fusion "loop" (%a = %s0) : (tensor<7xbf16>) -> tensor<7xbf16> {
      %0 = stablehlo.add %a, %a : tensor<7xbf16>
      kernel.fused %0 : tensor<7xbf16>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<7xbf16>
  }
  return %r#1 : tensor<7xbf16>
}
