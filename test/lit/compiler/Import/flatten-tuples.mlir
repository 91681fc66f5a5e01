// Tuples are flattened in order, at any nesting depth.
// RUN: systole-opt %s --systole-flatten-tuples | FileCheck %s

// CHECK-LABEL: func.func public @main(
// CHECK-SAME: %arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<i32>)
func.func public @main(%x: tensor<4xf32> {jax.buffer_donor = true}, %t: tuple<tensor<i32>, tuple<tensor<2xf32>, tuple<>>>)
    -> tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>> {
  // CHECK-NEXT: %[[C:.*]]:2 = stablehlo.custom_call @f(%arg0, %arg1, %arg2)
  // CHECK-SAME: (tensor<4xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<i32>)
  %c = stablehlo.custom_call @f(%x, %t) : (tensor<4xf32>, tuple<tensor<i32>, tuple<tensor<2xf32>, tuple<>>>) -> tuple<tensor<4xf32>, tensor<i32>>
  // CHECK-NEXT: %[[R:.*]]:3 = call @callee(%arg1, %arg2, %[[C]]#0, %[[C]]#1)
  %inner = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tuple<tensor<2xf32>, tuple<>>>) -> tuple<tensor<2xf32>, tuple<>>
  %i = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tuple<tensor<2xf32>, tuple<>>>) -> tensor<i32>
  %both = stablehlo.tuple %inner, %c : tuple<tuple<tensor<2xf32>, tuple<>>, tuple<tensor<4xf32>, tensor<i32>>>
  %r = func.call @callee(%i, %both) : (tensor<i32>, tuple<tuple<tensor<2xf32>, tuple<>>, tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>>
  // CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2
  return %r : tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>>
}

// CHECK-LABEL: func.func private @callee(
// CHECK-SAME: %arg0: tensor<i32>, %arg1: tensor<2xf32>, %arg2: tensor<4xf32>, %arg3: tensor<i32>)
func.func private @callee(%i: tensor<i32>, %both: tuple<tuple<tensor<2xf32>, tuple<>>, tuple<tensor<4xf32>, tensor<i32>>>)
    -> tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>> {
  %a = stablehlo.get_tuple_element %both[0] : (tuple<tuple<tensor<2xf32>, tuple<>>, tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tensor<2xf32>, tuple<>>
  %b = stablehlo.get_tuple_element %both[1] : (tuple<tuple<tensor<2xf32>, tuple<>>, tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tensor<4xf32>, tensor<i32>>
  %x = stablehlo.get_tuple_element %a[0] : (tuple<tensor<2xf32>, tuple<>>) -> tensor<2xf32>
  %r = stablehlo.tuple %x, %b : tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>>
  // CHECK-NEXT: return %arg1, %arg2, %arg3
  return %r : tuple<tensor<2xf32>, tuple<tensor<4xf32>, tensor<i32>>>
}
