// Regions that run or do not, once or often.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @if(
func.func @if(%p: tensor<i1>, %x: tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = "stablehlo.if"(%{{.*}}) ({
  // CHECK-NEXT: stablehlo.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i1>
  // CHECK-NEXT: }, {
  // CHECK-NEXT: %[[Y:.*]] = stablehlo.negate
  // CHECK-NEXT: stablehlo.return %[[Y]], %{{.*}} : tensor<4xf32>, tensor<i1>
  // CHECK-NEXT: }) : (tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
  %0:2 = "stablehlo.if"(%p) ({
    stablehlo.return %x, %p : tensor<4xf32>, tensor<i1>
  }, {
    %y = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %y, %p : tensor<4xf32>, tensor<i1>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
  return
}

// CHECK-LABEL: func.func @case(
func.func @case(%i: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  // CHECK: }, {
  // CHECK: }, {
  // CHECK: }) : (tensor<i32>) -> tensor<4xf32>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %y = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %y : tensor<4xf32>
  }, {
    %y = stablehlo.tanh %x : tensor<4xf32>
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @while(
func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK: stablehlo.while(%[[I:iterArg.*]] = %{{.*}}, %[[A:iterArg.*]] = %{{.*}}) : tensor<i32>, tensor<4xf32> attributes {mhlo.trip_count = 7 : i64}
  // CHECK-NEXT: cond {
  // CHECK-NEXT: %[[P:.*]] = stablehlo.compare LT, %[[I]], %{{.*}}, SIGNED
  // CHECK-NEXT: stablehlo.return %[[P]] : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: %[[B:.*]] = stablehlo.sine %[[A]] : tensor<4xf32>
  // CHECK-NEXT: %[[J:.*]] = stablehlo.add %[[I]], %[[I]] : tensor<i32>
  // CHECK-NEXT: stablehlo.return %[[J]], %[[B]] : tensor<i32>, tensor<4xf32>
  // CHECK-NEXT: }
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32> attributes {mhlo.trip_count = 7 : i64}
   cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.sine %a : tensor<4xf32>
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @while_without_values(
func.func @while_without_values(%p: tensor<i1>) {
  // CHECK: stablehlo.while()
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.return %{{.*}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: stablehlo.return
  // CHECK-NEXT: }
  stablehlo.while() cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// CHECK-LABEL: func.func @optimization_barrier(
func.func @optimization_barrier(%x: tensor<4xf32>, %i: tensor<i32>) {
  // CHECK: %{{.*}}:2 = stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i32>
  %0:2 = stablehlo.optimization_barrier %x, %i : tensor<4xf32>, tensor<i32>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  return
}

// CHECK-LABEL: func.func @call(
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: call @callee(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @composite(
func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.composite "my.op" %{{.*}} {composite_attributes = {k = 1 : i32}, decomposition = @callee, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.composite "my.op" %x {composite_attributes = {k = 1 : i32}, decomposition = @callee, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.composite "my.op" %{{.*}} {decomposition = @callee} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.composite"(%0) <{name = "my.op", decomposition = @callee}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.composite "my.op" %{{.*}} ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>):
  // CHECK-NEXT: stablehlo.return %[[A]] : tensor<f32>
  // CHECK-NEXT: }) {decomposition = @callee} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "my.op" %1 ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {decomposition = @callee} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @custom_call_values(
func.func @custom_call_values(%x: tensor<*xf32>, %t: !stablehlo.token,
    %p: tuple<tensor<2xf32>, tuple<tensor<*xf32>, !stablehlo.token>>) {
  // CHECK: stablehlo.custom_call @f(%{{.*}}, %{{.*}}, %{{.*}}) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = [1, 0]>]} : (tensor<*xf32>, !stablehlo.token, tuple<tensor<2xf32>, tuple<tensor<*xf32>, !stablehlo.token>>) -> tensor<*xf32>
  %0 = stablehlo.custom_call @f(%x, %t, %p) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = [1, 0]>]} : (tensor<*xf32>, !stablehlo.token, tuple<tensor<2xf32>, tuple<tensor<*xf32>, !stablehlo.token>>) -> tensor<*xf32>
  // The layouts are of a single tuple's elements; a token's is empty.
  // CHECK: stablehlo.custom_call @g(
  %1 = stablehlo.custom_call @g(%0, %t) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<*xf32>, !stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token>
  return
}

// CHECK-LABEL: func.func @custom_call(
func.func @custom_call(%x: tensor<4x3xf32>, %i: tensor<i32>) -> tensor<4x3xf32> {
  // CHECK: stablehlo.custom_call @Qr(%{{.*}}) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %0:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  // CHECK: stablehlo.custom_call @foo.bar(%{{.*}}, %{{.*}}) {backend_config = "text", has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  %1 = "stablehlo.custom_call"(%0#0, %i) <{call_target_name = "foo.bar", backend_config = "text", has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  // CHECK: stablehlo.custom_call @typed() {api_version = 4 : i32, backend_config = {k = 1 : i32}} : () -> tensor<4x3xf32>
  %2 = stablehlo.custom_call @typed() {api_version = 4 : i32, backend_config = {k = 1 : i32}} : () -> tensor<4x3xf32>
  // CHECK: stablehlo.custom_call @check(%{{.*}}) : (tensor<4x3xf32>) -> ()
  stablehlo.custom_call @check(%2) : (tensor<4x3xf32>) -> ()
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @map(
func.func @map(%x: tensor<2x4xf32>, %i: tensor<2x4xi32>) {
  // CHECK: "stablehlo.map"(%{{.*}}, %{{.*}}) <{dimensions = array<i64: 0, 1>}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<i32>):
  // CHECK-NEXT: stablehlo.return %{{.*}} : tensor<i32>
  // CHECK-NEXT: }) : (tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %0 = "stablehlo.map"(%x, %i) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}
