// Operations and types without a StableHLO counterpart are errors at their locations.
// RUN: systole-opt --systole-vhlo-to-stablehlo %s --split-input-file --verify-diagnostics

func.func @main(%x: !vhlo.tensor_v1<[8], !vhlo.f32_v1>) {
  // expected-error@+1 {{a tuple's elements do not match its type}}
  %0 = "vhlo.tuple_v1"(%x) : (!vhlo.tensor_v1<[8], !vhlo.f32_v1>) -> !vhlo.tuple_v1<[!vhlo.tensor_v1<[8], !vhlo.i32_v1>]>
  return
}

// -----

func.func @main(%x: !vhlo.tensor_v1<[8], !vhlo.f32_v1>) {
  %0 = "vhlo.tuple_v1"(%x) : (!vhlo.tensor_v1<[8], !vhlo.f32_v1>) -> !vhlo.tuple_v1<[!vhlo.tensor_v1<[8], !vhlo.f32_v1>]>
  // expected-error@+1 {{extracts a tuple element that does not exist}}
  %1 = "vhlo.get_tuple_element_v1"(%0) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 1>}> : (!vhlo.tuple_v1<[!vhlo.tensor_v1<[8], !vhlo.f32_v1>]>) -> !vhlo.tensor_v1<[8], !vhlo.f32_v1>
  return
}

// -----

// Groups along what is no axis, and a mesh with an axis of no size.
func.func @main(%x: !vhlo.tensor_v1<[8], !vhlo.f32_v1>) {
  // expected-error@+1 {{attribute 'replica_groups' is not supported}}
  %0 = "vhlo.all_gather_v2"(%x) <{all_gather_dim = #vhlo.integer_v1<!vhlo.i64_v1, 0>, channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 0>, replica_groups = #vhlo.replica_group_mesh_axes_v1<#vhlo.string_v1<"mesh">, #vhlo.array_v1<[#vhlo.string_v1<"x">]>>, use_global_device_ids = #vhlo.bool_v1<false>}> : (!vhlo.tensor_v1<[8], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[8], !vhlo.f32_v1>
  return
}

// -----

func.func @main(%x: !vhlo.tensor_v1<[8], !vhlo.f32_v1>) {
  // expected-error@+1 {{attribute 'replica_groups' is not supported}}
  %0 = "vhlo.all_gather_v2"(%x) <{all_gather_dim = #vhlo.integer_v1<!vhlo.i64_v1, 0>, channel_id = #vhlo.integer_v1<!vhlo.i64_v1, 0>, replica_groups = #vhlo.replica_group_mesh_axes_v1<#vhlo.mesh_v1<#vhlo.array_v1<[#vhlo.mesh_axis_v1<#vhlo.string_v1<"x">, 0>]>, #vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.i64_v1>, "0x0000000000000000">>, #vhlo.array_v1<[]>>, use_global_device_ids = #vhlo.bool_v1<false>}> : (!vhlo.tensor_v1<[8], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[8], !vhlo.f32_v1>
  return
}

// -----

// 17 times 2^12 elements.
!a = !vhlo.tuple_v1<[!vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1, !vhlo.token_v1]>
!b = !vhlo.tuple_v1<[!a, !a, !a, !a, !a, !a, !a, !a]>
!c = !vhlo.tuple_v1<[!b, !b, !b, !b, !b, !b, !b, !b]>
!d = !vhlo.tuple_v1<[!c, !c, !c, !c, !c, !c, !c, !c]>
func.func @main() {
  // expected-error@+1 {{tuples with too many elements; the limits are 65536 in one and 4194304 in all}}
  %0 = "vhlo.tuple_v1"() : () -> !vhlo.tuple_v1<[!d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d, !d]>
  return
}

// -----

// expected-error@+1 {{type '!vhlo.witness_v1' is not supported}}
%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.witness_v1

// -----

// A module's operations are in no order in MLIR; in artifacts they are.
// expected-error@+1 {{a value is used before it is defined}}
%0 = "vhlo.negate_v1"(%0) : (!vhlo.tensor_v1<[4], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>

// -----

// expected-error@+1 {{type '!vhlo.tensor_v1<[-7], !vhlo.f32_v1>' is not supported}}
%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.tensor_v1<[-7], !vhlo.f32_v1>

// -----

// expected-error@+1 {{attribute 'value' is not supported: #vhlo.tensor_v1<!vhlo.tensor_v1<[3], !vhlo.f32_v1>, "0x0000">}}
%0 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<!vhlo.tensor_v1<[3], !vhlo.f32_v1>, "0x0000">}> : () -> !vhlo.tensor_v1<[3], !vhlo.f32_v1>

// -----

// expected-error@+1 {{attribute 'iota_dimension' is not valid for 'stablehlo.iota': "x"}}
%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.string_v1<"x">}> : () -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>

// -----

// A list of dimension numbers that is too long, as a splat of 8 bytes.
%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>
// expected-error@+1 {{attribute 'permutation' is not supported}}
%1 = "vhlo.transpose_v1"(%0) <{permutation = #vhlo.tensor_v1<!vhlo.tensor_v1<[1000000000], !vhlo.i64_v1>, "0x0000000000000000">}> : (!vhlo.tensor_v1<[4], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>

// -----

// Dimension numbers are signless.
%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>
// expected-error@+1 {{attribute 'permutation' is not supported}}
%1 = "vhlo.transpose_v1"(%0) <{permutation = #vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.ui64_v1>, "0x0000000000000000">}> : (!vhlo.tensor_v1<[4], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>

// -----

%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>
// expected-error@+1 {{a cast that changes a type is not supported}}
%1 = builtin.unrealized_conversion_cast %0 : !vhlo.tensor_v1<[4], !vhlo.f32_v1> to tensor<4xi32>

// -----

%0 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> !vhlo.tensor_v1<[4], !vhlo.f32_v1>
// expected-error@+1 {{invalid dimension numbers}}
%1 = "vhlo.dot_general_v1"(%0, %0) <{
    lhs_batching_dimensions = #vhlo.integer_v1<!vhlo.i64_v1, 0>,
    rhs_batching_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.i64_v1>, "0x">,
    lhs_contracting_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.i64_v1>, "0x">,
    rhs_contracting_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.i64_v1>, "0x">,
    precision_config = #vhlo.array_v1<[]>
  }> : (!vhlo.tensor_v1<[4], !vhlo.f32_v1>, !vhlo.tensor_v1<[4], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 4], !vhlo.f32_v1>
