// Operations of the producers' dialects are not known, nor are the attributes
// that their dialects define.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{operation being parsed with an unregistered dialect}}
%0 = "mhlo.add"() : () -> tensor<4xf32>

// -----

// expected-error@+1 {{unregistered operation 'stablehlo.custom' found in dialect ('stablehlo') that does not allow unknown operations}}
"stablehlo.custom"() : () -> ()

// -----

// expected-error@+1 {{attribute created with unregistered dialect}}
func.func @note() attributes {mhlo.sharding = #mhlo.sharding<@mesh, [{}]>} {
  return
}
