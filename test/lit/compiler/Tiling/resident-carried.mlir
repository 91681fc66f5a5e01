// RUN: %systole-opt %s --systole-pipeline="from=fusion to=kernel target=v3" | FileCheck %s

// The loop-carried array is kept in 904 rows, 113 times 8, and stored from there in whole blocks: there is nothing
// behind its last row that a block of 512 rows could read.
// CHECK-LABEL: func.func @main
// CHECK: kernel.func @copy grid ({{.*}} = 113) ({{.*}}<904x128xi32, vmem> #kernel.operand<in, block = [8, 128], {{.*}}resident = 904>
func.func @main(%s0: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %k = kernel.resident %s0 block = [300, 300] placement = <carried, rows = 904, place = 904> : tensor<300x300xf32>
  %r:2 = stablehlo.while(%i = %zero, %s = %k) : tensor<i32>, tensor<300x300xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = kernel.fusion "loop" (%a = %s0) : (tensor<300x300xf32>) -> tensor<300x300xf32> {
      %0 = stablehlo.add %a, %a : tensor<300x300xf32>
      kernel.fused %0 : tensor<300x300xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<300x300xf32>
  }
  return %r#1 : tensor<300x300xf32>
}
