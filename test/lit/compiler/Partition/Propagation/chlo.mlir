// Operations of CHLO, of which Shardy sees the expansion: JAX on the CPU divides these results so.
// RUN: systole-opt --systole-propagate-shardings %s | FileCheck %s

// CHECK: -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x3xf32>, tensor<8x3xi32>) {
  %0 = chlo.erf %a : tensor<8x16xf32> -> tensor<8x16xf32>
  %3 = chlo.erfc %a : tensor<8x16xf32> -> tensor<8x16xf32>
  %1, %2 = chlo.top_k(%a, k = 3) : tensor<8x16xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  return %0, %3, %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x3xf32>, tensor<8x3xi32>
}
