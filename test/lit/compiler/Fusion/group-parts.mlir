// RUN: %systole-opt %s --systole-group-parts | FileCheck %s

// Both results follow from the sums; what only one follows from is computed without the other.
// CHECK-LABEL: @sum
// CHECK-SAME: (%[[A:.*]]: tensor<64x128xui32>, %[[B:.*]]: tensor<64x128xui32>)
// CHECK: %[[SUMS:.*]]:2 = kernel.elementwise(%[[A]], %[[B]]) {kernel.expanded = 3 : i32}
// CHECK-SAME: -> (tensor<64x128xui32>, tensor<64x128xui32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<ui32>, %[[Y:.*]]: tensor<ui32>):
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<ui32>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[X]], %[[Y]] : tensor<ui32>
// CHECK-NEXT: %[[NEXT:.*]] = stablehlo.add %[[SUM]], %[[ONE]] : tensor<ui32>
// CHECK-NEXT: kernel.yield %[[SUM]], %[[NEXT]]
// CHECK: %[[CARRY:.*]] = kernel.elementwise(%[[SUMS]]#1, %[[SUMS]]#0) {kernel.expanded = 3 : i32}
// CHECK-NEXT: ^bb0(%[[N:.*]]: tensor<ui32>, %[[S:.*]]: tensor<ui32>):
// CHECK-NEXT: %[[LESS:.*]] = stablehlo.compare LT, %[[N]], %[[S]]
// CHECK-NEXT: %[[WORD:.*]] = stablehlo.convert %[[LESS]]
// CHECK-NEXT: kernel.yield %[[WORD]]
// CHECK: %[[LAST:.*]] = stablehlo.xor %[[SUMS]]#1, %[[SUMS]]#0 {kernel.expanded = 3 : i32}
// CHECK: return %[[CARRY]], %[[LAST]]
func.func @sum(%a: tensor<64x128xui32>, %b: tensor<64x128xui32>)
    -> (tensor<64x128xui32>, tensor<64x128xui32>) {
  %one = stablehlo.constant dense<1> : tensor<64x128xui32>
  %sum = stablehlo.add %a, %b {kernel.expanded = 3 : i32} : tensor<64x128xui32>
  %next = stablehlo.add %sum, %one {kernel.expanded = 3 : i32} : tensor<64x128xui32>
  %less = stablehlo.compare LT, %next, %sum {kernel.expanded = 3 : i32}
      : (tensor<64x128xui32>, tensor<64x128xui32>) -> tensor<64x128xi1>
  %carry = stablehlo.convert %less {kernel.expanded = 3 : i32}
      : (tensor<64x128xi1>) -> tensor<64x128xui32>
  %last = stablehlo.xor %next, %sum {kernel.expanded = 3 : i32} : tensor<64x128xui32>
  return %carry, %last : tensor<64x128xui32>, tensor<64x128xui32>
}

// Other operations have other numbers, or none.
// CHECK-LABEL: @numbers
// CHECK-NOT: kernel.elementwise
// CHECK: return
func.func @numbers(%a: tensor<64x128xui32>) -> tensor<64x128xui32> {
  %0 = stablehlo.add %a, %a {kernel.expanded = 3 : i32} : tensor<64x128xui32>
  %1 = stablehlo.xor %0, %a {kernel.expanded = 4 : i32} : tensor<64x128xui32>
  %2 = stablehlo.add %1, %a {kernel.expanded} : tensor<64x128xui32>
  %3 = stablehlo.add %2, %a {kernel.expanded} : tensor<64x128xui32>
  return %3 : tensor<64x128xui32>
}
