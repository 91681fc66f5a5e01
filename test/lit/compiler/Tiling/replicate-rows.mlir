// RUN: systole-opt %s -systole-replicate-rows | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#same = affine_map<(d0) -> (d0)>

// CHECK: #[[PART:.*]] = affine_map<(d0, d1) -> (d0 + 128)>

// The maximum of each row, and half of it, are broadcast along rows: both are in all lanes.
// CHECK-LABEL: kernel.func @broadcast
// CHECK:         %[[MAX:.*]] = kernel.alloc : <256xf32, vmem, replicated>
// CHECK:         kernel.reduce
// CHECK-SAME:      outs(%[[MAX]]
// CHECK:         %[[HALF:.*]] = kernel.alloc : <256xf32, vmem, replicated>
// CHECK:         kernel.map
// CHECK-SAME:      outs(%[[HALF]]
kernel.func @broadcast grid () () {
  %x = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<256xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<256x300xf32, vmem>) inits() outs(%max : !kernel.buffer<256xf32, vmem>) sizes = [256, 300] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  %half = kernel.alloc : !kernel.buffer<256xf32, vmem>
  kernel.map ins(%max : !kernel.buffer<256xf32, vmem>) outs(%half : !kernel.buffer<256xf32, vmem>) maps = [#same] {
  ^bb0(%a: tensor<f32>):
    %c = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = stablehlo.multiply %a, %c : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  %y = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  kernel.map ins(%x, %max, %half : !kernel.buffer<256x300xf32, vmem>, !kernel.buffer<256xf32, vmem>, !kernel.buffer<256xf32, vmem>) outs(%y : !kernel.buffer<256x300xf32, vmem>) maps = [#all, #rows, #rows] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    %0 = stablehlo.subtract %a, %b : tensor<f32>
    %1 = stablehlo.multiply %0, %c : tensor<f32>
    kernel.yield %1 : tensor<f32>
  }
  kernel.return
}

// Its reader wants the elements along the lanes.
// CHECK-LABEL: kernel.func @stored
// CHECK-NOT:     replicated
// CHECK:       kernel.return
kernel.func @stored grid () (%out : !kernel.buffer<256xf32, hbm> #kernel.operand<out, block = [256], map = () -> (0)>) {
  %x = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<256xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<256x300xf32, vmem>) inits() outs(%max : !kernel.buffer<256xf32, vmem>) sizes = [256, 300] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.map ins(%max : !kernel.buffer<256xf32, vmem>) outs(%out : !kernel.buffer<256xf32, vmem>) maps = [#same] {
  ^bb0(%a: tensor<f32>):
    %0 = stablehlo.negate %a : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// The lanes of 1,024 columns fill the sublanes of a map: each row is broadcast as a whole anyway.
// CHECK-LABEL: kernel.func @full_sublanes
// CHECK-NOT:     replicated
// CHECK:       kernel.return
kernel.func @full_sublanes grid () () {
  %x = kernel.alloc : !kernel.buffer<16x1024xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<16xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<16x1024xf32, vmem>) inits() outs(%max : !kernel.buffer<16xf32, vmem>) sizes = [16, 1024] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  %y = kernel.alloc : !kernel.buffer<16x1024xf32, vmem>
  kernel.map ins(%x, %max : !kernel.buffer<16x1024xf32, vmem>, !kernel.buffer<16xf32, vmem>) outs(%y : !kernel.buffer<16x1024xf32, vmem>) maps = [#all, #rows] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.subtract %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// Two stages broadcast an operand's elements: they read a copy of it in all lanes, one of them as another
// shape.
// CHECK-LABEL: kernel.func @operand
// CHECK-SAME:    (%[[MEAN:.*]] : !kernel.buffer<256xf32, hbm>
// CHECK:         %[[COPY:.*]] = kernel.alloc : <256xf32, vmem, replicated>
// CHECK:         kernel.map ins(%[[MEAN]] : !kernel.buffer<256xf32, vmem>) outs(%[[COPY]] :
// CHECK:         %[[VIEW:.*]] = kernel.view %[[COPY]] : <256xf32, vmem, replicated> to <1x256xf32, vmem, replicated>
// CHECK:         kernel.map ins(%[[VIEW]] :
// CHECK:         kernel.map ins(%[[COPY]] :
#nested = affine_map<(d0, d1, d2) -> (d0, d1)>
kernel.func @operand grid () (%mean : !kernel.buffer<256xf32, hbm> #kernel.operand<in, block = [256], map = () -> (0)>) {
  %x = kernel.view %mean : !kernel.buffer<256xf32, vmem> to !kernel.buffer<1x256xf32, vmem>
  %y = kernel.alloc : !kernel.buffer<1x256x300xf32, vmem>
  kernel.map ins(%x : !kernel.buffer<1x256xf32, vmem>) outs(%y : !kernel.buffer<1x256x300xf32, vmem>) maps = [#nested] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  %z = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  kernel.map ins(%mean : !kernel.buffer<256xf32, vmem>) outs(%z : !kernel.buffer<256x300xf32, vmem>) maps = [#rows] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  kernel.return
}

// VMEM has no room for nine thousand elements in all lanes beside these blocks.
// CHECK-LABEL: kernel.func @large
// CHECK-NOT:     replicated
// CHECK:       kernel.return
kernel.func @large grid () () {
  %x = kernel.alloc : !kernel.buffer<9000x300xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<9000xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<9000x300xf32, vmem>) inits() outs(%max : !kernel.buffer<9000xf32, vmem>) sizes = [9000, 300] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.map ins(%x, %max : !kernel.buffer<9000x300xf32, vmem>, !kernel.buffer<9000xf32, vmem>) outs(%x : !kernel.buffer<9000x300xf32, vmem>) maps = [#all, #rows] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.subtract %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// Chunks of a sum read parts of the maxima, which need no copies where these are in all lanes.
// CHECK-LABEL: kernel.func @parts
// CHECK:         %[[MAX:.*]] = kernel.alloc : <256xf32, vmem, replicated>
// CHECK-NOT:     kernel.copy
// CHECK:         kernel.reduce ins(%{{.*}}, %[[MAX]] :
// CHECK-SAME:      maps = [#{{.*}}, #[[PART]]]
// CHECK:       kernel.return
#second = affine_map<(d0, d1) -> (d0 + 128, d1)>
#behind = affine_map<(d0) -> (d0 + 128)>
kernel.func @parts grid () () {
  %x = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<256xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<256x300xf32, vmem>) inits() outs(%max : !kernel.buffer<256xf32, vmem>) sizes = [256, 300] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  %part = kernel.alloc : !kernel.buffer<128xf32, vmem>
  kernel.copy %max to %part sizes = [128] from #behind into #same : !kernel.buffer<256xf32, vmem>, !kernel.buffer<128xf32, vmem>
  %sum = kernel.alloc : !kernel.buffer<300xf32, vmem>
  kernel.reduce ins(%x, %part : !kernel.buffer<256x300xf32, vmem>, !kernel.buffer<128xf32, vmem>) inits() outs(%sum : !kernel.buffer<300xf32, vmem>) sizes = [128, 300] dims = [0] maps = [#second, #rows] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.subtract %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// The destination of this copy of the maxima has a second writer: it stays a buffer of its own.
// CHECK-LABEL: kernel.func @overwritten
// CHECK:         kernel.copy
// CHECK:       kernel.return
kernel.func @overwritten grid () () {
  %x = kernel.alloc : !kernel.buffer<256x300xf32, vmem>
  %max = kernel.alloc : !kernel.buffer<256xf32, vmem>
  kernel.reduce ins(%x : !kernel.buffer<256x300xf32, vmem>) inits() outs(%max : !kernel.buffer<256xf32, vmem>) sizes = [256, 300] dims = [1] maps = [#all] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  %part = kernel.alloc : !kernel.buffer<128xf32, vmem>
  kernel.map ins() outs(%part : !kernel.buffer<128xf32, vmem>) maps = [] {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.copy %max to %part sizes = [128] from #same into #same : !kernel.buffer<256xf32, vmem>, !kernel.buffer<128xf32, vmem>
  %y = kernel.alloc : !kernel.buffer<128x300xf32, vmem>
  kernel.map ins(%part : !kernel.buffer<128xf32, vmem>) outs(%y : !kernel.buffer<128x300xf32, vmem>) maps = [#rows] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  kernel.return
}
