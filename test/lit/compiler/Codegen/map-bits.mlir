// RUN: %systole-opt %s --systole-pipeline="to=core" --split-input-file | FileCheck %s

// Stores of bf16 and f16 round: numbers that are only moved keep their bits.
// CHECK: %[[BITS:.*]] = core.vld.u16
// CHECK-NOT: core.vst.bf16
// CHECK: core.vst.b16
func.func @main(%x: tensor<6x200xui16>) -> tensor<6x200xbf16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<6x200xui16>) -> tensor<6x200xbf16>
  return %0 : tensor<6x200xbf16>
}

// -----

// 7.0 among them.
// CHECK: core.vld.u16
// CHECK: core.v.sel %{{.*}}, %{{.*}}, %c18176_i32
// CHECK-NOT: core.vst.f16
// CHECK: core.vst.b16
func.func @main(%p: tensor<6x200xi1>, %x: tensor<6x200xf16>) -> tensor<6x200xf16> {
  %c = stablehlo.constant dense<7.0> : tensor<6x200xf16>
  %0 = stablehlo.select %p, %x, %c : tensor<6x200xi1>, tensor<6x200xf16>
  return %0 : tensor<6x200xf16>
}

// -----

// With what is computed they are numbers.
// CHECK: core.vld.bf16
// CHECK: core.vst.bf16
func.func @main(%p: tensor<6x200xi1>, %x: tensor<6x200xbf16>) -> tensor<6x200xbf16> {
  %0 = stablehlo.add %x, %x : tensor<6x200xbf16>
  %1 = stablehlo.select %p, %x, %0 : tensor<6x200xi1>, tensor<6x200xbf16>
  return %1 : tensor<6x200xbf16>
}
