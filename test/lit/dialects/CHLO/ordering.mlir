// The largest elements.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @top_k(
func.func @top_k(%x: tensor<2x5xbf16>) {
  // CHECK: %values, %indices = chlo.top_k(%{{.*}}, k = 3) : tensor<2x5xbf16> -> (tensor<2x3xbf16>, tensor<2x3xi32>)
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x5xbf16> -> (tensor<2x3xbf16>, tensor<2x3xi32>)
  // CHECK: chlo.top_k(%{{.*}}, k = 0) {a = 1 : i8} : tensor<2x5xbf16> -> (tensor<2x0xbf16>, tensor<2x0xi32>)
  %1:2 = "chlo.top_k"(%x) <{k = 0 : i64}> {a = 1 : i8} : (tensor<2x5xbf16>) -> (tensor<2x0xbf16>, tensor<2x0xi32>)
  return
}
