// Text that is not an attribute, type or operation of portable artifacts.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'nothing_v1' is not known}}
func.func private @f() attributes {a = #vhlo.nothing_v1}

// -----

// expected-error@+1 {{'SIDEWAYS' is no value of comparison_direction_v1}}
func.func private @f() attributes {a = #vhlo.comparison_direction_v1<SIDEWAYS>}

// -----

// expected-error@+1 {{expected alternating names and values}}
func.func private @f() attributes {a = #vhlo.dict_v1<[#vhlo.string_v1<"k">]>}

// -----

// expected-error@+1 {{no number has the type '!vhlo.tensor_v1<[2], !vhlo.f32_v1>'}}
func.func private @f() attributes {a = #vhlo.float_v1<!vhlo.tensor_v1<[2], !vhlo.f32_v1>, 0>}

// -----

// expected-error@+1 {{no number has the type '!vhlo.f32_v1'}}
func.func private @f() attributes {a = #vhlo.integer_v1<!vhlo.f32_v1, 0>}

// -----

// expected-error@+1 {{expected a string of hexadecimal digits that starts with 0x}}
func.func private @f() attributes {a = #vhlo.tensor_v1<!vhlo.f32_v1, "0xAG">}

// -----

// expected-error@+1 {{'vhlo.add_v1' op expects 2 operands; there are 0}}
"vhlo.add_v1"() : () -> !vhlo.f32_v1

// -----

// expected-error@+1 {{'vhlo.iota_v1' op expects 1 results; there are 0}}
"vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>}> : () -> ()

// -----

// expected-error@+1 {{'vhlo.iota_v1' op has no attribute 'iota_dimension'}}
"vhlo.iota_v1"() : () -> !vhlo.f32_v1

// -----

// expected-error@+1 {{'vhlo.iota_v1' op has no property "axis"}}
"vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<!vhlo.i64_v1, 0>, axis = 1 : i64}> : () -> !vhlo.f32_v1

// -----

// expected-error@+1 {{'vhlo.if_v1' op expects 1 operands; there are 0}}
"vhlo.if_v1"() : () -> ()

// -----

// expected-error@+1 {{unregistered operation 'vhlo.add_v9' found in dialect ('vhlo')}}
"vhlo.add_v9"() : () -> ()

// -----

// expected-error@+1 {{'vhlo.create_token_v1' has no other form than the generic one}}
%0 = vhlo.create_token_v1
