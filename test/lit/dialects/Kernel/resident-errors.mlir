// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects a block of rank 2}}
  %k = kernel.resident %a block = [8] placement = <loop, rows = 8, place = 8> : tensor<8x128xf32>
  return
}

// -----

func.func @extent(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects a block between 1 and}}
  %k = kernel.resident %a block = [9, 128] placement = <loop, rows = 16, place = 16> : tensor<8x128xf32>
  return
}

// -----

func.func @no_loop(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects a loop around it, or one behind it with all users}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = 8> : tensor<8x128xf32>
  return
}

// -----

func.func @used_behind(%a: tensor<8x128xf32>, %p: tensor<i1>) -> tensor<8x128xf32> {
  // expected-error @+1 {{expects a loop around it, or one behind it with all users}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = 8> : tensor<8x128xf32>
  %r = stablehlo.while(%s = %a) : tensor<8x128xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %s : tensor<8x128xf32>
  }
  %0 = stablehlo.add %r, %k : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

func.func @no_fusion(%a: tensor<8x128xf32>, %p: tensor<i1>) -> tensor<8x128xf32> {
  %r = stablehlo.while(%s = %a) : tensor<8x128xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %0 = stablehlo.add %s, %s : tensor<8x128xf32>
    // expected-error @+1 {{expects a part of an array, with no other user}}
    %k = kernel.resident %0 block = [8, 128] placement = <prefetch, rows = 8, place = 8, flag = 32> : tensor<8x128xf32>
    %1 = stablehlo.add %k, %s : tensor<8x128xf32>
    stablehlo.return %1 : tensor<8x128xf32>
  }
  return %r : tensor<8x128xf32>
}

// -----

func.func @room(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects at least one row, at most as many as there are from their place to the end of VMEM, found 8 rows at place 4}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = 4> : tensor<8x128xf32>
  return
}

// -----

func.func @negative(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects at least one row, at most as many as there are from their place to the end of VMEM, found 8 rows at place -5}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = -5> : tensor<8x128xf32>
  return
}

// -----

func.func @reserved(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{expects a number of reserved rows below 2^31}}
  %m = kernel.fusion "loop" (%x = %a) attributes {reserved = -1 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %m : tensor<8x128xf32>
}

// -----

func.func @made_by_no_fusion(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.add %a, %a : tensor<8x128xf32>
  // expected-error @+1 {{expects a result of a fusion of its block, with no other user}}
  %k = kernel.resident %0 block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %1 = stablehlo.add %k, %k : tensor<8x128xf32>
  return %1 : tensor<8x128xf32>
}

// -----

func.func @made_and_used(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects a result of a fusion of its block, with no other user}}
  %k = kernel.resident %m block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  %1 = stablehlo.add %k, %m : tensor<8x128xf32>
  return %1 : tensor<8x128xf32>
}

// -----

func.func @made_for_the_caller(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = kernel.fusion "loop" (%x = %a) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  // expected-error @+1 {{expects readers in its block}}
  %k = kernel.resident %m block = [8, 128] placement = <kernels, rows = 8, place = 8> : tensor<8x128xf32>
  return %k : tensor<8x128xf32>
}

// -----

// expected-error @+1 {{expects what VMEM keeps to be whole, `in`, `out` or `load`, and no window}}
kernel.func @window grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), row = 0, resident = 8>) { kernel.return }

// -----

// expected-error @+1 {{expects operand 0, which VMEM keeps, within the reserved rows}}
kernel.func @outside grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>) { kernel.return }

// -----

// expected-error @+1 {{expects operand 0, which VMEM keeps, within the reserved rows}}
kernel.func @end grid () (%x : !kernel.buffer<16x128xf32, vmem> #kernel.operand<in, block = [16, 128], map = () -> (0, 0), resident = 8>) attributes {reserved = 8 : i64} { kernel.return }

// -----

module attributes {kernel.vmem_plan = [#kernel.placement<kernels, rows = 8, place = 16>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>) attributes {reserved = 8 : i64} { kernel.return }
  func.func @elsewhere() {
    %x = kernel.vmem 0 : <8x128xf32, vmem>
    // expected-error @+1 {{passes operand 0 in a place 16 of VMEM, and @k expects 8}}
    kernel.call @k(%x) {placements = array<i32: 0>} : !kernel.buffer<8x128xf32, vmem>
    return
  }
}

// -----

module attributes {kernel.vmem_plan = [#kernel.placement<kernels, rows = 8, place = 8>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>) attributes {reserved = 8 : i64} { kernel.return }
  func.func @nowhere() {
    %x = kernel.vmem 0 : <8x128xf32, vmem>
    // expected-error @+1 {{passes operand 0 in no place of VMEM, and @k expects 8}}
    kernel.call @k(%x) : !kernel.buffer<8x128xf32, vmem>
    return
  }
}

// -----

func.func @no_plan() {
  // expected-error @+1 {{names placement 0, which is not in kernel.vmem_plan}}
  %x = kernel.vmem 0 : <8x128xf32, vmem>
  return
}

// -----

func.func @space() {
  // expected-error @+1 {{expects a buffer in vmem}}
  %x = kernel.vmem 0 : <8x128xf32, hbm>
  return
}

// -----

module attributes {kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 16, flag = 32>]} {
  func.func @backwards(%row: i32) {
    %x = kernel.vmem 0 : <8x128xf32, vmem>
    %y = kernel.hbm 0 : <8x128xf32, hbm>
    // expected-error @+1 {{expects to copy from hbm to vmem}}
    kernel.start_load %x at %row to %y flag 32 : <8x128xf32, vmem> to <8x128xf32, hbm>
    return
  }
}

// -----

func.func @rows(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects a placement of 8 rows, found #kernel.placement<loop, rows = 16, place = 16>}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 16, place = 16> : tensor<8x128xf32>
  return
}

// -----

func.func @no_flag(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects a flag of copies for prefetch, found -1}}
  %k = kernel.resident %a block = [8, 128] placement = <prefetch, rows = 8, place = 8> : tensor<8x128xf32>
  return
}

// -----

func.func @flag(%a: tensor<8x128xf32>) {
  // expected-error @+1 {{expects no flag for loop, found 32}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = 8, flag = 32> : tensor<8x128xf32>
  return
}

// -----

func.func @carried(%a: tensor<8x128xf32>, %p: tensor<i1>) -> tensor<8x128xf32> {
  // expected-error @+1 {{expects carried of the initial value of a loop}}
  %k = kernel.resident %a block = [8, 128] placement = <loop, rows = 8, place = 8> : tensor<8x128xf32>
  %r = stablehlo.while(%s = %k) : tensor<8x128xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %s : tensor<8x128xf32>
  }
  return %r : tensor<8x128xf32>
}

// -----

func.func @wait_for_nothing() {
  // expected-error @+1 {{expects a flag to wait for}}
  kernel.wait []
  return
}

// -----

func.func @wait_for_kernels() {
  // expected-error @+1 {{expects flags between 32 and 61, found 3}}
  kernel.wait [32, 3]
  return
}
