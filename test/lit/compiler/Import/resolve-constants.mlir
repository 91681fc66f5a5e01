// RUN: %systole-opt %s --systole-resolve-constants | FileCheck %s

// Four bytes of alignment, then the elements: 1.0, 2.0, and booleans as bytes.
// CHECK-DAG: dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<{{\[\[}}1, -2], [256, 0{{\]\]}}> : tensor<2x2xi16>
// CHECK-DAG: dense<[true, false, true]> : tensor<3xi1>
// CHECK-DAG: dense<[0, 7, 0, 9]> : tensor<4xi32>
// CHECK-DAG: dense<5.000000e-01> : tensor<2xf32>
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<shorts> : tensor<2x2xi16>
  %2 = stablehlo.constant dense_resource<bits> : tensor<3xi1>
  %3 = stablehlo.constant sparse<[[1], [3]], [7, 9]> : tensor<4xi32>
  %4 = stablehlo.constant dense<0.5> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Quantized constants are the bits of integers, of the sign of their storage.
// CHECK-LABEL: func.func @quantized
func.func @quantized() -> tensor<2x!quant.uniform<u8:f32, 0.5>> {
  // CHECK: %[[I:.*]] = stablehlo.constant dense<[1, 254]> : tensor<2xui8>
  // CHECK: %[[Q:.*]] = stablehlo.bitcast_convert %[[I]] : (tensor<2xui8>) -> tensor<2x!quant.uniform<u8:f32, 5.000000e-01>>
  // CHECK: return %[[Q]]
  %0 = stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<u8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<u8:f32, 0.5>>
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F00000040",
      shorts: "0x020000000100FEFF00010000",
      bits: "0x01000000010001"
    }
  }
#-}
