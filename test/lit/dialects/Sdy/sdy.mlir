// Shardings as artifacts hold them, as text and as bytecode.
// RUN: %systole-opt %s | FileCheck %s

// CHECK: "sdy.mesh"() <{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 2>, #sdy.mesh_axis<"y", 4>], [1, 0]>, sym_name = "mesh"}>
"sdy.mesh"() <{mesh = #sdy.mesh<[#sdy.mesh_axis<"x", 2>, #sdy.mesh_axis<"y", 4>], [1, 0]>, sym_name = "mesh"}> : () -> ()

// CHECK-LABEL: @main
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2}p3]>
  %0 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@mesh, [#sdy.dimension_sharding<[#sdy.axis_ref<"x", none>, #sdy.axis_ref<"y", #sdy.sub_axis_info<1, 2>>], 1, 3>], []>}> : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: #sdy.sharding<@mesh, [{?}], unreduced=max{"x"}>
  %1 = "sdy.reshard"(%0) <{sharding = #sdy.sharding_v3<@mesh, [#sdy.dimension_sharding<[], 0, none>], [], [#sdy.axis_ref<"x", none>], 1>}> : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: "sdy.sharding_group"(%{{.*}}) <{group_id = 3 : i64}>
  "sdy.sharding_group"(%1) <{group_id = 3 : i64}> : (tensor<8xf32>) -> ()
  // CHECK: "sdy.manual_computation"(%{{.*}}) <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy.manual_axes<["x"]>, out_shardings = #sdy.sharding_per_value<[]>}>
  %2 = "sdy.manual_computation"(%1) <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy.manual_axes<["x"]>, out_shardings = #sdy.sharding_per_value<[]>}> ({
  ^bb0(%y: tensor<8xf32>):
    // CHECK: "sdy.return"
    "sdy.return"(%y) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  // A property that may be missing.
  // CHECK: "sdy.named_computation"(%{{.*}}) <{name = "f", out_shardings = #sdy.sharding_per_value<[]>}>
  %3 = "sdy.named_computation"(%2) <{name = "f", out_shardings = #sdy.sharding_per_value<[]>}> ({
  ^bb0(%y: tensor<8xf32>):
    "sdy.return"(%y) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
