// RUN: %systole-opt %s --systole-pipeline="to=core target=v6e" --split-input-file | FileCheck %s
// RUN: %systole-opt %s --systole-pipeline="to=core target=v5e" --split-input-file | FileCheck %s --check-prefix=WIDENED
// RUN: %systole-opt %s --systole-pipeline="to=core target=v6e excess-precision" --split-input-file \
// RUN:   | FileCheck %s --check-prefix=WIDENED

// Two rows of bf16 in each cell; those of a vector that is added to all rows are one row twice.
// CHECK: core.vld.bf16
// CHECK: core.v.shr
// CHECK: core.v.or
// CHECK: core.vld.b32
// CHECK: core.v.mul.bf16
// CHECK: core.v.add.bf16
// CHECK: core.v.max.bf16
// CHECK: core.vst.b32
// CHECK-NOT: core.vst.bf16
// WIDENED-NOT: .bf16 %{{.*}}, %{{.*}} : (!core.v
// WIDENED: core.vst.bf16
func.func @main(%x: tensor<256x128xbf16>, %b: tensor<128xbf16>) -> tensor<256x128xbf16> {
  %two = stablehlo.constant dense<2.0> : tensor<256x128xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<256x128xbf16>
  %0 = stablehlo.multiply %x, %two : tensor<256x128xbf16>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xbf16>) -> tensor<256x128xbf16>
  %2 = stablehlo.add %0, %1 : tensor<256x128xbf16>
  %3 = stablehlo.maximum %2, %zero : tensor<256x128xbf16>
  return %3 : tensor<256x128xbf16>
}

// -----

// An odd number of rows, and functions that the vector unit has for f32 alone, are widened.
// CHECK: core.v.fadd
// CHECK: core.vst.bf16
// WIDENED: core.vst.bf16
func.func @main(%x: tensor<255x128xbf16>) -> tensor<255x128xbf16> {
  %0 = stablehlo.add %x, %x : tensor<255x128xbf16>
  return %0 : tensor<255x128xbf16>
}

// -----

// CHECK: core.eup.tanh
// CHECK: core.vst.bf16
// WIDENED: core.vst.bf16
func.func @main(%x: tensor<256x128xbf16>) -> tensor<256x128xbf16> {
  %0 = stablehlo.tanh %x : tensor<256x128xbf16>
  %1 = stablehlo.add %0, %x : tensor<256x128xbf16>
  return %1 : tensor<256x128xbf16>
}
