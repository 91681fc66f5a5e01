// RUN: %systole-opt %s --systole-assign-access --systole-fuse --systole-form-kernels --split-input-file | FileCheck %s

// Of an array in HBM the kernel copies the window alone, to where it is wanted.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func @{{[^ (]+}} {{.*}}(%[[X:.*]] : !kernel.buffer<100000x128xf32, hbm> #kernel.operand<raw, {{.*}}, %[[Y:.*]] : !kernel.buffer<64x128xf32, hbm> #kernel.operand<out, {{.*}}) scalars (%[[I:.*]]) attributes {bytes = 65536
// CHECK: %[[LOW:.*]] = arith.maxsi %[[I]], %c0
// CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %c99936
// CHECK: kernel.copy %[[X]] at[%[[AT]], %c0{{.*}}] to %[[Y]] sizes = [64, 128]
// CHECK-NEXT: kernel.return
func.func @main(%x: tensor<100000x128xf32>, %i: tensor<i32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [64, 128] : (tensor<100000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// Rows of 512 bytes hold two of bf16: four rows contain three at any place. An array this small is
// better in VMEM as a whole.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.func {{.*}}(%[[X:.*]] : !kernel.buffer<9000x128xbf16, hbm> #kernel.operand<raw, {{.*}}, %[[S:.*]] : !kernel.buffer<9x128xbf16, hbm> #kernel.operand<in,
// CHECK: %[[CLAMPED:.*]] = arith.minsi %{{.*}}, %c8997
// CHECK: %[[LAST:.*]] = arith.minsi %[[CLAMPED]], %c8996
// CHECK: %[[HALF:.*]] = arith.shrsi %[[LAST]], %c1
// CHECK: %[[START:.*]] = arith.shli %[[HALF]], %c1
// CHECK: %[[REST:.*]] = arith.subi %[[CLAMPED]], %[[START]]
// CHECK: %[[BOX:.*]] = kernel.alloc : <4x128xbf16, vmem>
// CHECK: kernel.copy %[[X]] at[%[[START]], %c0{{.*}}] to %[[BOX]] sizes = [4, 128]
// CHECK: kernel.copy %[[BOX]] at[%[[REST]], %c0{{.*}}] to %{{.*}} sizes = [3, 128]
// CHECK: kernel.copy %[[S]] at
func.func @main(%x: tensor<9000x128xbf16>, %small: tensor<9x128xbf16>, %i: tensor<i32>) -> tensor<3x128xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [3, 128] : (tensor<9000x128xbf16>, tensor<i32>, tensor<i32>) -> tensor<3x128xbf16>
  %1 = stablehlo.dynamic_slice %small, %i, %zero, sizes = [3, 128] : (tensor<9x128xbf16>, tensor<i32>, tensor<i32>) -> tensor<3x128xbf16>
  %2 = stablehlo.add %0, %1 : tensor<3x128xbf16>
  return %2 : tensor<3x128xbf16>
}

// -----

// A loop updates the array where it is: one buffer, in which the kernel reads a row
// and then writes one.
// CHECK-LABEL: func.func @main()
// CHECK: scf.while
// CHECK: do
// CHECK: %[[A:.*]] = kernel.hbm [[HOME:[0-9]+]] : <50000x128xf32, hbm>
// CHECK: %[[B:.*]] = kernel.hbm [[HOME]] : <50000x128xf32, hbm>
// CHECK: kernel.call @{{[^ (]+}}(%[[A]], %[[B]]) scalars
// CHECK-NOT: kernel.call
// CHECK: scf.yield
// CHECK: kernel.func @{{.*}}(%[[X:.*]] : {{.*}}#kernel.operand<raw,{{.*}}, %[[Y:.*]] : {{.*}}#kernel.operand<raw,
// CHECK: kernel.copy %[[X]] at{{.*}} to %[[ROW:.*]] sizes = [1, 128]
// CHECK: kernel.map ins(%[[ROW]]{{.*}} outs(%[[NEW:[^ ]*]]
// CHECK: kernel.copy %[[NEW]] to %[[Y]] at[
func.func @main(%x: tensor<50000x128xf32>, %n: tensor<i32>) -> tensor<50000x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<50000x128xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 128] : (tensor<50000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %new = stablehlo.sine %row : tensor<1x128xf32>
    %b = stablehlo.dynamic_update_slice %a, %new, %next, %zero : (tensor<50000x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<50000x128xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<50000x128xf32>
  }
  return %r#1 : tensor<50000x128xf32>
}

// -----

// Rows that are gathered are under way at the same time.
// CHECK: kernel.func @{{[^ (]+}} grid () (%[[X:.*]] : !kernel.buffer<50000x128xf32, hbm> #kernel.operand<raw, {{.*}}, %[[I:.*]] : !kernel.buffer<16xi32, hbm> #kernel.operand<stream, {{.*}}, %[[Y:.*]] : !kernel.buffer<16x128xf32, hbm> #kernel.operand<out,
// CHECK: kernel.overlap {
// CHECK: %[[N:.*]] = arith.constant 16
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N]]
// CHECK: kernel.load_scalar %[[I]][%[[J]]]
// CHECK: kernel.copy %[[X]] at[{{.*}}] to %[[Y]] at[%[[J]], %c0{{.*}}] sizes = [128]
func.func @main(%x: tensor<50000x128xf32>, %i: tensor<16xi32>) -> tensor<16x128xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false}> : (tensor<50000x128xf32>, tensor<16xi32>) -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// -----

// More indices than SMEM should hold come in chunks;
// large results are cut into blocks of positions.
// CHECK: kernel.func @{{[^ (]+}} grid (%[[STEP:.*]] = [[STEPS:[0-9]+]]) (%[[X:.*]] : !kernel.buffer<50000x128xf32, hbm> #kernel.operand<raw, {{.*}}, %[[I:.*]] : !kernel.buffer<20000xi32, hbm> #kernel.operand<raw, {{.*}}, %[[Y:.*]] : !kernel.buffer<20000x128xf32, hbm> #kernel.operand<out, block = [[[ROWS:[0-9]+]], 128], map = (d0) -> (d0, 0)>
// CHECK: %[[BEGIN:.*]] = arith.muli %[[STEP]], %c[[ROWS]]
// CHECK: %[[CHUNK:.*]] = kernel.alloc : <[[WORDS:[0-9]+]]xi32, smem>
// CHECK: scf.for
// CHECK: arith.addi %[[BEGIN]]
// CHECK: kernel.copy %[[I]] at[%[[AT:.*]]] to %[[CHUNK]] sizes = [[[WORDS]]]
// CHECK-NEXT: kernel.overlap {
// CHECK: scf.for %[[J:.*]] =
// CHECK: kernel.load_scalar %[[CHUNK]]
// CHECK: kernel.copy %[[X]] at[{{.*}}] to %[[Y]] at[
func.func @main(%x: tensor<50000x128xf32>, %i: tensor<20000xi32>) -> tensor<20000x128xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false}> : (tensor<50000x128xf32>, tensor<20000xi32>) -> tensor<20000x128xf32>
  return %r : tensor<20000x128xf32>
}

// -----

// A slice larger than VMEM is cut; each step copies its part from where that begins. Blocks
// divide the slice if they can.
// CHECK: kernel.func @{{[^ (]+}} grid (%[[STEP:.*]] = [[STEPS:[0-9]+]]) (%[[X:.*]] : !kernel.buffer<90000x128xf32, hbm> #kernel.operand<raw, {{.*}}, %[[Y:.*]] : !kernel.buffer<40960x128xf32, hbm> #kernel.operand<out, block = [[[ROWS:[0-9]+]], 128], map = (d0) -> (d0, 0)>
// CHECK: %[[INDEX:.*]] = arith.minsi
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %c[[ROWS]]
// CHECK: %[[START:.*]] = arith.addi %[[INDEX]], %[[FIRST]]
// CHECK: kernel.copy %[[X]] at[%[[START]], %{{.*}}] to %[[Y]] sizes = [[[ROWS]], 128]
func.func @main(%x: tensor<90000x128xf32>, %i: tensor<i32>) -> tensor<40960x128xf32> {
  %r = stablehlo.dynamic_slice %x, %i, %i, sizes = [40960, 128] : (tensor<90000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<40960x128xf32>
  return %r : tensor<40960x128xf32>
}

// -----

// 40,009 is a prime number. The last block of the update is shorter: what stands behind it in the
// array is read first and selected.
// CHECK: kernel.func @{{.*}} grid (%[[STEP:.*]] = {{[0-9]+}}) (%[[U:.*]] : !kernel.buffer<40009x128xf32, hbm> #kernel.operand<in, block = [[[ROWS:[0-9]+]], 128]{{.*}}, %[[X:.*]] : !kernel.buffer<90000x128xf32, hbm> #kernel.operand<raw
// CHECK: %[[BOX:.*]] = kernel.alloc : <[[PLACE:[0-9]+]]x128xf32, vmem>
// CHECK: kernel.copy %[[X]] at[{{.*}}] to %[[BOX]] sizes = [[[ROWS]], 128]
// CHECK: %[[MOVED:.*]] = kernel.alloc : <[[PLACE]]x128xf32, vmem>
// CHECK: kernel.copy %[[U]] to %[[MOVED]] at[
// CHECK: kernel.map ins(%[[BOX]], %[[MOVED]] : {{.*}} outs(%[[BOX]]
// CHECK: stablehlo.constant dense<40009>
// CHECK: kernel.copy %[[BOX]] to %[[X]] at[{{.*}}] sizes = [[[ROWS]], 128]
func.func @main(%x: tensor<90000x128xf32>, %u: tensor<40009x128xf32>, %i: tensor<i32>) -> tensor<90000x128xf32> {
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<90000x128xf32>, tensor<40009x128xf32>, tensor<i32>, tensor<i32>) -> tensor<90000x128xf32>
  return %r : tensor<90000x128xf32>
}

// -----

// 300 columns of 3,000 rows are 460 MB with what is beside them, and the array is 24: its rows are
// cut, and come once.
// CHECK: kernel.func @gather
// CHECK-SAME: !kernel.buffer<3000x2000xf32, hbm> #kernel.operand<in, block = [[[ROWS:[0-9]+]], 2000], map = (d0) -> (d0, 0)>
// CHECK-SAME: !kernel.buffer<3000x300xf32, hbm> #kernel.operand<out, block = [[[ROWS]], 300], map = (d0) -> (d0, 0)>
// CHECK: kernel.copy {{.*}} sizes = [[[ROWS]]]
func.func @main(%x: tensor<3000x2000xf32>, %i: tensor<300xi32>) -> tensor<3000x300xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 3000, 1>, indices_are_sorted = false}> : (tensor<3000x2000xf32>, tensor<300xi32>) -> tensor<3000x300xf32>
  return %r : tensor<3000x300xf32>
}

// -----

// A plane is nine rows of 128, and 512 bytes hold four of i8: planes begin in the middle of 512
// bytes, and a copy of four of them cannot leave room between them for the rows of a last block
// that would be shorter.
// CHECK: kernel.func @{{.*}} grid () {{.*}}#kernel.operand<out, block = [1, 3, 300]
// CHECK: %[[PLANES:.*]] = kernel.alloc : <4x3x300xi8, vmem>
// CHECK: kernel.copy %{{.*}} to %[[PLANES]] sizes = [4, 3, 300]
func.func @main(%x: tensor<40000x3x300xi8>, %i: tensor<i32>) -> tensor<1x3x300xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 3, 300] : (tensor<40000x3x300xi8>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x300xi8>
  %1 = stablehlo.convert %0 : (tensor<1x3x300xi8>) -> tensor<1x3x300xi32>
  return %1 : tensor<1x3x300xi32>
}

// -----

// Slabs that fit stay whole, though a dimension of theirs is the outermost.
// CHECK: kernel.func @{{[^ (]+}} {{.*}}#kernel.operand<out, block = [32, {{[0-9]+}}, 64, 128]
func.func @main(%x: tensor<32x16x64x128xf32>, %i: tensor<8x1xi32>) -> tensor<32x8x64x128xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 32, 1, 64, 128>}> : (tensor<32x16x64x128xf32>, tensor<8x1xi32>) -> tensor<32x8x64x128xf32>
  return %0 : tensor<32x8x64x128xf32>
}
