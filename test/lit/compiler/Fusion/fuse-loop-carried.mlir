// RUN: %systole-opt %s --systole-fuse='target=v3' | FileCheck %s

// Kernels of a loop's body and the copies of what it carries.

// One kernel would read windows of %a while it writes the next one, which then had a buffer of its own and were copied
// in each trip.
// CHECK-LABEL: @window
// CHECK: stablehlo.while(%{{[^ ]*}} = %{{[^ ]*}}, %[[A:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}})
// CHECK: kernel.fusion "loop" ({{.*}} = %[[A]], {{.*}}) {{.*}} -> tensor<1x128xf32>
// CHECK: kernel.fusion "loop" ({{.*}} = %[[A]]) {{.*}} -> tensor<512x128xf32>
func.func @window(%x: tensor<512x128xf32>, %y: tensor<1x128xf32>) -> (tensor<512x128xf32>, tensor<1x128xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %first, %a = %x, %b = %y) : tensor<i32>, tensor<512x128xf32>, tensor<1x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 128] {kernel.access = "window"} : (tensor<512x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %sum = stablehlo.add %row, %b : tensor<1x128xf32>
    %next = stablehlo.exponential %a : tensor<512x128xf32>
    %more = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %more, %next, %sum : tensor<i32>, tensor<512x128xf32>, tensor<1x128xf32>
  }
  return %r#1, %r#2 : tensor<512x128xf32>, tensor<1x128xf32>
}

// Each name of a value is followed once: here there are 2^40 paths through barriers.
// CHECK-LABEL: @barriers
// CHECK-COUNT-40: stablehlo.optimization_barrier
func.func @barriers(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %first, %a = %x, %b = %y) : tensor<i32>, tensor<8x128xf32>, tensor<8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.exponential %a : tensor<8x128xf32>
    %v0:2 = stablehlo.optimization_barrier %a, %b : tensor<8x128xf32>, tensor<8x128xf32>
    %v1:2 = stablehlo.optimization_barrier %v0#0, %v0#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v2:2 = stablehlo.optimization_barrier %v1#0, %v1#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v3:2 = stablehlo.optimization_barrier %v2#0, %v2#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v4:2 = stablehlo.optimization_barrier %v3#0, %v3#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v5:2 = stablehlo.optimization_barrier %v4#0, %v4#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v6:2 = stablehlo.optimization_barrier %v5#0, %v5#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v7:2 = stablehlo.optimization_barrier %v6#0, %v6#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v8:2 = stablehlo.optimization_barrier %v7#0, %v7#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v9:2 = stablehlo.optimization_barrier %v8#0, %v8#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v10:2 = stablehlo.optimization_barrier %v9#0, %v9#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v11:2 = stablehlo.optimization_barrier %v10#0, %v10#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v12:2 = stablehlo.optimization_barrier %v11#0, %v11#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v13:2 = stablehlo.optimization_barrier %v12#0, %v12#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v14:2 = stablehlo.optimization_barrier %v13#0, %v13#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v15:2 = stablehlo.optimization_barrier %v14#0, %v14#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v16:2 = stablehlo.optimization_barrier %v15#0, %v15#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v17:2 = stablehlo.optimization_barrier %v16#0, %v16#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v18:2 = stablehlo.optimization_barrier %v17#0, %v17#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v19:2 = stablehlo.optimization_barrier %v18#0, %v18#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v20:2 = stablehlo.optimization_barrier %v19#0, %v19#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v21:2 = stablehlo.optimization_barrier %v20#0, %v20#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v22:2 = stablehlo.optimization_barrier %v21#0, %v21#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v23:2 = stablehlo.optimization_barrier %v22#0, %v22#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v24:2 = stablehlo.optimization_barrier %v23#0, %v23#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v25:2 = stablehlo.optimization_barrier %v24#0, %v24#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v26:2 = stablehlo.optimization_barrier %v25#0, %v25#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v27:2 = stablehlo.optimization_barrier %v26#0, %v26#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v28:2 = stablehlo.optimization_barrier %v27#0, %v27#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v29:2 = stablehlo.optimization_barrier %v28#0, %v28#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v30:2 = stablehlo.optimization_barrier %v29#0, %v29#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v31:2 = stablehlo.optimization_barrier %v30#0, %v30#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v32:2 = stablehlo.optimization_barrier %v31#0, %v31#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v33:2 = stablehlo.optimization_barrier %v32#0, %v32#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v34:2 = stablehlo.optimization_barrier %v33#0, %v33#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v35:2 = stablehlo.optimization_barrier %v34#0, %v34#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v36:2 = stablehlo.optimization_barrier %v35#0, %v35#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v37:2 = stablehlo.optimization_barrier %v36#0, %v36#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v38:2 = stablehlo.optimization_barrier %v37#0, %v37#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %v39:2 = stablehlo.optimization_barrier %v38#0, %v38#1 : tensor<8x128xf32>, tensor<8x128xf32>
    %sum = stablehlo.add %v39#0, %v39#1 : tensor<8x128xf32>
    %more = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %more, %next, %sum : tensor<i32>, tensor<8x128xf32>, tensor<8x128xf32>
  }
  return %r#1, %r#2 : tensor<8x128xf32>, tensor<8x128xf32>
}
