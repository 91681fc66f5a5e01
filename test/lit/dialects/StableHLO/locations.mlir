// Locations of every kind come through, also those of a reduction's body.
// RUN: %systole-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: systole-opt %s --mlir-print-debuginfo | systole-opt --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

#file = loc("model.py":12:7)
#range = loc("model.py":12:7 to 14:20)
#name = loc("jit(step)/dot"(#range))
#call = loc(callsite(#name at "main.py":3:1))
#fused = loc(fused<"fusion">[#name, "other.py":1:2])

// CHECK-LABEL: func.func @locations(
// CHECK-SAME: %{{.*}}: tensor<4xf32> loc("x")
func.func @locations(%x: tensor<4xf32> loc("x"), %s: tensor<f32> loc(unknown)) -> tensor<f32> {
  // CHECK: stablehlo.negate {{.*}} loc("model.py":12:7)
  %0 = stablehlo.negate %x : tensor<4xf32> loc(#file)
  // CHECK: stablehlo.abs {{.*}} loc("jit(step)/dot"("model.py":12:7 to 14:20))
  %1 = stablehlo.abs %0 : tensor<4xf32> loc(#name)
  // CHECK: stablehlo.tanh {{.*}} loc(callsite("jit(step)/dot"("model.py":12:7 to 14:20) at "main.py":3:1))
  %2 = stablehlo.tanh %1 : tensor<4xf32> loc(#call)
  // CHECK: stablehlo.sine {{.*}} loc(fused<"fusion">["jit(step)/dot"("model.py":12:7 to 14:20), "other.py":1:2])
  %3 = stablehlo.sine %2 : tensor<4xf32> loc(#fused)
  // CHECK: applies stablehlo.add {{.*}} loc("jit(step)/dot"("model.py":12:7 to 14:20))
  %4 = stablehlo.reduce(%3 init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc(#name)
  // CHECK: reducer(%{{.*}}: tensor<f32> loc("a"), %{{.*}}: tensor<f32> loc("b"))
  // CHECK-NEXT: stablehlo.add {{.*}} loc("model.py":12:7)
  // CHECK-NEXT: stablehlo.return {{.*}} loc("return")
  // CHECK-NEXT: } loc("jit(step)/dot"("model.py":12:7 to 14:20))
  %5 = stablehlo.reduce(%3 init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32> loc("a"), %b: tensor<f32> loc("b")) {
    %r = stablehlo.add %b, %a : tensor<f32> loc(#file)
    stablehlo.return %r : tensor<f32> loc("return")
  } loc(#name)
  return %5 : tensor<f32>
}

// The operation that `applies` stands for has the location of the reduction.
// RUN: systole-opt %s --mlir-print-debuginfo --mlir-print-local-scope --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// GENERIC: "stablehlo.reduce"
// GENERIC-NEXT: ^bb0(%{{.*}}: tensor<f32> loc("jit(step)/dot"("model.py":12:7 to 14:20)),
// GENERIC-NEXT: "stablehlo.add"{{.*}} loc("jit(step)/dot"("model.py":12:7 to 14:20))
// GENERIC-NEXT: "stablehlo.return"{{.*}} loc("jit(step)/dot"("model.py":12:7 to 14:20))
