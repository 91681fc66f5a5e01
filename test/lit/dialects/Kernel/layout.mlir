// RUN: %systole-opt %s | FileCheck %s

// CHECK: t.a = #kernel.layout<{:T(1,128)}>
// CHECK-SAME: t.b = #kernel.layout<{1,0:T(1,128)}>
// CHECK-SAME: t.c = #kernel.layout<{0,2,1:T(1,128)(2,1)}>
// CHECK-SAME: t.d = #kernel.layout<{0:T(1,128)(4,1)}>
module attributes {t.a = #kernel.layout<{:T(1,128)}>, t.b = #kernel.layout<{1,0:T(1,128)}>,
                   t.c = #kernel.layout<{0,2,1:T(1,128)(2,1)}>, t.d = #kernel.layout<{0:T(1,128)(4,1)}>} {
  // CHECK: kernel.layout = #kernel.layout<{0,1:T(1,128)(2,1)}>
  func.func @f(%x: tensor<1000x3xbf16> {kernel.layout = #kernel.layout<{0,1:T(1,128)(2,1)}>}) {
    return
  }
}
