// Shardings in portable artifacts of sharded programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "dialects/Coded/Coded.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def : AttributeKind<"manual_axes", 0, "", ["Attributes"]>;
def : AttributeKind<"mesh_axis", 1, "", ["String", "Int"]>;
// The axes, and the device ids if they are not in ascending order.
def : AttributeKind<"mesh", 2, "", ["Attributes", "Ints"]>;
def : AttributeKind<"sub_axis_info", 3, "", ["Int", "Int"]>;
def : AttributeKind<"axis_ref", 4, "", ["String", "OptionalAttribute"]>;
// Axes, whether no other may be added, and a priority.
def : AttributeKind<"dimension_sharding", 5, "", ["Attributes", "Bool", "FlaggedInt"]>;
// The mesh or its symbol, the dimensions, and axes along which the tensor is replicated.
def : AttributeKind<"sharding", 6, "", ["Attribute", "Attributes", "Attributes"]>;
def : AttributeKind<"sharding_per_value", 7, "", ["Attributes"]>;
def : AttributeKind<"dim_mapping", 8, "", ["Ints"]>;
def : AttributeKind<"tensor_mapping", 9, "", ["Attributes"]>;
def : AttributeKind<"op_sharding_rule", 10, "",
                    ["Ints", "Attributes", "Attributes", "Ints", "Ints", "Ints", "Ints", "Bool"]>;
def : AttributeKind<"axis_ref_list", 11, "", ["Attributes"]>;
def : AttributeKind<"list_of_axis_ref_lists", 12, "", ["Attributes"]>;
def : AttributeKind<"all_to_all_param", 13, "", ["Attributes", "Int", "Int"]>;
def : AttributeKind<"all_to_all_param_list", 14, "", ["Attributes"]>;
// With axes along which the values are still to be reduced, and since the third version
// with the reduction.
def : AttributeKind<"sharding_v2", 15, "", ["Attribute", "Attributes", "Attributes", "Attributes"]>;
def : AttributeKind<"sharding_per_value_v2", 16, "", ["Attributes"]>;
def : AttributeKind<"sharding_v3", 17, "",
                    ["Attribute", "Attributes", "Attributes", "Attributes", "Int"]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def : Coded<"mesh", "", "", 0, 0, [Field<"mesh">, Field<"sym_name">]>;
def : Coded<"sharding_constraint", "", "", 1, 1, [Field<"sharding">]>;
def : Coded<"reshard", "", "", 1, 1, [Field<"sharding">]>;
def : Coded<"sharding_group", "", "", 1, 0, [Field<"group_id">]>;
def : Coded<"manual_computation", "", "", -1, -1,
            [Field<"in_shardings">, Field<"manual_axes">, Field<"out_shardings">], 1>;
def : Coded<"named_computation", "", "", -1, -1,
            [Field<"in_shardings", "Same", "Missing">, Field<"name">,
             Field<"out_shardings", "Same", "Missing">], 1>;
let Terminator = true in
def : Coded<"return", "", "", -1, 0>;
