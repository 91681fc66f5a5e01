// RUN: %systole-opt %s --systole-fuse --systole-form-kernels --split-input-file | FileCheck %s

// A loop over updates, of which those of rows that exist are combined with these; any other leaves row 0 as it is.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func {{.*}}(%[[X:.*]] : !kernel.buffer<100x300xf32, hbm> #kernel.operand<in, {{.*}}, %[[I:.*]] : !kernel.buffer<40xi32, hbm> #kernel.operand<stream, {{.*}}, %[[U:.*]] : !kernel.buffer<40x300xf32, hbm> #kernel.operand<in, {{.*}}, %[[Y:.*]] : !kernel.buffer<100x300xf32, hbm> #kernel.operand<out,
// CHECK: kernel.copy %[[X]] to %[[Y]] sizes = [100, 300]
// CHECK: scf.for %[[N:.*]] = %c0{{.*}} to %c40
// CHECK-NEXT: %[[R:.*]] = kernel.load_scalar %[[I]][%[[N]]]
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[R]], %c100
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %[[R]], %c0
// CHECK: %[[APPLIES:.*]] = arith.select %[[IN]], %c1{{.*}}, %c0
// CHECK: %[[TO:.*]] = arith.muli %[[AT]], %c3
// CHECK: %[[OLD:.*]] = kernel.rows %[[Y]] at %[[TO]] : <100x300xf32, vmem> to <300xf32, vmem>
// CHECK: %[[FROM:.*]] = arith.muli %[[N]], %c3
// CHECK: %[[NEW:.*]] = kernel.rows %[[U]] at %[[FROM]] : <40x300xf32, vmem> to <300xf32, vmem>
// CHECK: kernel.map ins(%[[OLD]], %[[NEW]] : {{.*}}) outs(%[[OLD]] :
// CHECK: %[[SUM:.*]] = stablehlo.add
// CHECK: kernel.scalar %[[APPLIES]]
// CHECK: stablehlo.select %{{.*}}, %[[SUM]]
func.func @main(%x: tensor<100x300xf32>, %i: tensor<40xi32>, %u: tensor<40x300xf32>) -> tensor<100x300xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x300xf32>, tensor<40xi32>, tensor<40x300xf32>) -> tensor<100x300xf32>
  return %0 : tensor<100x300xf32>
}

// -----

// Elements: the row of 128 around one, with a lane of it replaced. Many of them come from
// HBM in chunks, and each stands in a row of its own to be spread over the lanes.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func {{.*}}(%{{.*}} : !kernel.buffer<5000xf32, hbm> #kernel.operand<in, {{.*}}, %[[I:.*]] : !kernel.buffer<4096xi32, hbm> #kernel.operand<raw, {{.*}}, %[[U:.*]] : !kernel.buffer<4096xf32, hbm> #kernel.operand<raw, {{.*}}, %[[Y:.*]] : !kernel.buffer<5000xf32, hbm> #kernel.operand<out,
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c4
// CHECK: %[[B:.*]] = arith.muli %[[K]], %c1024
// CHECK: kernel.copy %[[U]] at[%[[B]]] to %[[V:.*]] sizes = [1024]
// CHECK: kernel.copy %[[V]] to %[[SPREAD:.*]] sizes = [1024]
// CHECK: kernel.copy %[[I]] at[%[[B]]] to %[[S:.*]] sizes = [1024]
// CHECK: scf.for %[[N:.*]] = %c0{{.*}} to %c1024
// CHECK: %[[E:.*]] = kernel.load_scalar %[[S]][%[[N]]]
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %[[E]], %c0
// CHECK: %[[APPLIES:.*]] = arith.select
// CHECK: %[[ROW:.*]] = arith.shrsi %[[AT]], %c7
// CHECK: %[[LANE:.*]] = arith.andi %[[AT]], %c127
// CHECK: %[[NONE:.*]] = arith.subi %[[APPLIES]], %c1
// CHECK: %[[WANTED:.*]] = arith.ori %[[LANE]], %[[NONE]]
// CHECK: %[[OLD:.*]] = kernel.rows %[[Y]] at %[[ROW]] : <5000xf32, vmem> to <128xf32, vmem>
// CHECK: %[[NEW:.*]] = kernel.rows %[[SPREAD]] at %[[N]] : <1024x1xf32, vmem> to <1xf32, vmem>
// CHECK: kernel.map ins(%[[OLD]], %[[NEW]] : {{.*}}) outs(%[[OLD]] : {{.*}}) maps = [#[[ALONG:.*]], #[[FIRST:.*]]]
// CHECK: kernel.scalar %[[WANTED]]
// CHECK: stablehlo.compare EQ
// CHECK: stablehlo.select
func.func @main(%x: tensor<5000xf32>, %i: tensor<4096xi32>, %u: tensor<4096xf32>) -> tensor<5000xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5000xf32>, tensor<4096xi32>, tensor<4096xf32>) -> tensor<5000xf32>
  return %0 : tensor<5000xf32>
}

// -----

// 30 MiB of rows are cut: each step takes the updates of its own, as few steps as fit:
// two blocks of 3.75 MiB of the operand and two of the result, of 15.75 MiB.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func @{{.*}} grid (%[[STEP:[^ ]*]] = 8)
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %c3840
// CHECK: %[[LEFT:.*]] = arith.subi %c30720{{.*}}, %[[FIRST]]
// CHECK: %[[MOST:.*]] = arith.minsi %[[LEFT]], %c3840
// CHECK: %[[R:.*]] = kernel.load_scalar
// CHECK: %[[HERE:.*]] = arith.subi %[[R]], %[[FIRST]]
// CHECK: arith.cmpi ult, %[[HERE]], %[[MOST]]
func.func @main(%x: tensor<30720x256xf32>, %i: tensor<40xi32>, %u: tensor<40x256xf32>) -> tensor<30720x256xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<30720x256xf32>, tensor<40xi32>, tensor<40x256xf32>) -> tensor<30720x256xf32>
  return %0 : tensor<30720x256xf32>
}

// -----

// Updates of 24 rows come in chunks of 64; their indices are few enough to come at once.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func {{.*}}, %[[I:.*]] : !kernel.buffer<256xi32, hbm> #kernel.operand<stream, {{.*}}, %[[U:.*]] : !kernel.buffer<256x3000xf32, hbm> #kernel.operand<raw,
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c4
// CHECK: %[[B:.*]] = arith.muli %[[K]], %c64
// CHECK: kernel.copy %[[U]] at[%[[B]], %c0{{.*}}] to %{{.*}} sizes = [64, 3000]
// CHECK-NOT: kernel.copy
// CHECK: scf.for %[[N:.*]] = %c0{{.*}} to %c64
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[N]], %[[B]]
// CHECK-NEXT: kernel.load_scalar %[[I]][%[[PLACE]]]
func.func @main(%x: tensor<100x3000xf32>, %i: tensor<256xi32>, %u: tensor<256x3000xf32>) -> tensor<100x3000xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x3000xf32>, tensor<256xi32>, tensor<256x3000xf32>) -> tensor<100x3000xf32>
  return %0 : tensor<100x3000xf32>
}
