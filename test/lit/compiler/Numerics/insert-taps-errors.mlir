// RUN: not systole-opt --systole-insert-taps="wide=bf16" %s 2>&1 | FileCheck %s
// RUN: not systole-opt --systole-insert-taps="own own-type=f16" %s 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not systole-opt --systole-raise-precision="operations=1 type=f16" %s 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not systole-opt --systole-raise-precision="operations=7" %s 2>&1 | FileCheck %s --check-prefix=RAISE
// CHECK: error: 'bf16' is neither f32 nor f64
// OWN: error: 'f16' is neither f32 nor f64
// RAISE: error: there is no operation 7
func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %sum = stablehlo.add %x, %x : tensor<4xbf16>
  return %sum : tensor<4xbf16>
}
