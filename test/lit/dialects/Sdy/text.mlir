// Shardy's own text, as JAX writes it, and what is printed is read again.
// RUN: %systole-opt %s | FileCheck %s
// RUN: %systole-opt %s | %systole-opt | FileCheck %s

// CHECK: "sdy.mesh"() <{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 1>, #sdy.mesh_axis<"y", 1>], []>, sym_name = "mesh"}> {stablehlo.mesh = {axes = []}}
sdy.mesh @mesh = <["x"=1, "y"=1]> {stablehlo.mesh = {axes = []}}
// CHECK: "sdy.mesh"() <{mesh = #sdy.mesh<[], [0]>, sym_name = "maximal_mesh_0"}>
sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>

// CHECK-LABEL: func.func @main
// CHECK-SAME: sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  // CHECK: "sdy.sharding_constraint"(%{{.*}}) <{sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}, {?}p2], replicated={"z"}>}>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x", "y":(1)2, ?}, {?}p2], replicated={"z"}> : tensor<8x4xf32>
  // CHECK: "sdy.reshard"(%{{.*}}) <{sharding = #sdy.sharding<mesh<["x"=1]>, [{}], unreduced={"x"}>}>
  %1 = sdy.reshard %0 <mesh<["x"=1]>, [{}], unreduced={"x"}> : tensor<8x4xf32>
  // CHECK: "sdy.sharding_group"(%{{.*}}) <{group_id = 7 : i64}>
  sdy.sharding_group %1 group_id=7 : tensor<8x4xf32>
  // CHECK: "sdy.manual_computation"(%{{.*}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, manual_axes = #sdy.manual_axes<["x", "y"]>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x", "y"} (%y: tensor<8x4xf32>) {
    // CHECK: "sdy.return"(%{{.*}}) : (tensor<8x4xf32>) -> ()
    sdy.return %y : tensor<8x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: "sdy.named_computation"(%{{.*}}) <{name = "f", out_shardings = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>}>
  %3 = sdy.named_computation<"f">(%2) out_shardings=[<@maximal_mesh_0, []>] (%y: tensor<8x4xf32>) {
    sdy.return %y : tensor<8x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.custom_call @f
  // CHECK-SAME: sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i], []) {i=8, j=2, k=2} reduction={j} need_replication={k} blocked_propagation={i}, custom>
  %f:2 = stablehlo.custom_call @f(%3) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i], []) {i=8, j=2, k=2} reduction={j} need_replication={k} blocked_propagation={i}, custom>} : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<f32>)
  // CHECK: stablehlo.custom_call @g
  // CHECK-SAME: #sdy.op_sharding_rule<([i, j])->([kz_1, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z]) {i=8, j=4, k=2,
  %g = stablehlo.custom_call @g(%3) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([kz_1, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z]) {i=8, j=4, k=2, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=3}>} : (tensor<8x4xf32>) -> tensor<6x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  // CHECK: stablehlo.custom_call @h
  // CHECK-SAME: #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=0}>
  %h = stablehlo.custom_call @h(%3) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=0}>} : (tensor<8x4xf32>) -> tensor<8x0xf32>
  // CHECK: #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>
  %4 = sdy.reshard %3 <@mesh, [{}], unreduced=max{"x"}> : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
