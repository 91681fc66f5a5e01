// RUN: %systole-opt %s --systole-pipeline="to=kernel target=v3" | FileCheck %s

// The first third of an array of more than 2^30 elements: no window is that far from its start.
// CHECK: kernel.func @slice grid {{.*}}<1500000000xi8, hbm> #kernel.operand<in, block = [1954304], {{.*}}stride = [1953792]
func.func @main(%x: tensor<1500000000xi8>) -> tensor<500000000xi8> {
  %0 = stablehlo.slice %x [5:500000005] : (tensor<1500000000xi8>) -> tensor<500000000xi8>
  return %0 : tensor<500000000xi8>
}
