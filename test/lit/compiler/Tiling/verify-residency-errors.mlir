// RUN: systole-opt %s -split-input-file -verify-diagnostics --systole-verify-residency

// A loop that loads a part for its next iteration.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// Nothing starts a copy for the first iteration.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      // expected-error @+1 {{waits for flag 32, with which no copy is in flight}}
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// The part is read while it is loaded.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    // expected-note @+1 {{it starts here, with flag 32}}
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      // expected-error @+1 {{@k (operand 0) reads rows 0 to 8 of VMEM, which a copy in flight writes}}
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      kernel.wait [32]
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// The next iteration waits for a copy that this one does not start.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-error @+1 {{an iteration begins and ends with different copies in flight: [32] and []}}
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      scf.yield %n : i32
    }
    return
  }
}

// -----

// The flag of a copy in flight is taken.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    // expected-note @+1 {{it starts here}}
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-error @+1 {{a copy starts with flag 32, which has another one}}
    kernel.start_load %a at %zero to %q flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// The rows of a copy in flight are loaded again.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    // expected-note @+1 {{it starts here, with flag 32}}
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-error @+1 {{kernel.start_load writes rows 0 to 8 of VMEM, which a copy in flight writes}}
    kernel.start_load %a at %zero to %p flag 33 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// Two placements have a row in common.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 12, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    // expected-note @+1 {{it starts here, with flag 32}}
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-error @+1 {{kernel.start_load writes rows 4 to 12 of VMEM, which a copy in flight writes}}
    kernel.start_load %a at %zero to %q flag 33 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// The kernel has rows of its own where a copy writes.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 2 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-note @+1 {{it starts here, with flag 33}}
    kernel.start_load %a at %zero to %q flag 33 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      // expected-error @+1 {{@k writes rows 8 to 9223372036854775807 of VMEM, which a copy in flight writes}}
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32, 33]
    return
  }
}

// -----

// The queue has no room for the copies in flight.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 0 : i64, reserved = 16 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    kernel.start_load %a at %zero to %q flag 33 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      // expected-error @+1 {{@k leaves room in the queue for 0 copies, and 1 are in flight}}
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32, 33]
    return
  }
}

// -----

// The kernel writes an array over the source of a copy in flight.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 32>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 2 : i64, reserved = 16 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    // expected-note @+1 {{it starts here, with flag 33}}
    kernel.start_load %a at %zero to %q flag 33 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      // expected-error @+1 {{@k (operand 1) writes rows 32 to 40 of HBM, which a copy in flight reads}}
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// What is loaded was written over.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 32>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    kernel.start_load %a at %zero to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      kernel.wait [32]
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      // expected-error @+1 {{kernel.start_load reads rows 0 to 40 of HBM, which do not have the contents of array 0 there}}
      kernel.start_load %a at %n to %p flag 32 : <5x8x128xf32, hbm> to <8x128xf32, vmem>
      scf.yield %n : i32
    }
    kernel.wait [32]
    return
  }
}

// -----

// Nothing has loaded what the kernel reads.
module attributes {kernel.arguments = array<i32: 0>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 40, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 40>], kernel.vmem_plan = [#kernel.placement<prefetch, rows = 8, place = 8, flag = 32>, #kernel.placement<prefetch, rows = 8, place = 16, flag = 33>]} {
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [8, 128], map = () -> (0, 0), resident = 8>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {loading = 1 : i64, reserved = 8 : i64} {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = kernel.hbm 0 : <5x8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %p = kernel.vmem 0 : <8x128xf32, vmem>
    %q = kernel.vmem 1 : <8x128xf32, vmem>
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %five : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      // expected-error @+1 {{@k (operand 0) reads rows 0 to 8 of VMEM, which do not have the contents of array 0 there}}
      kernel.call @k(%p, %o) {placements = array<i32: 0, -1>} : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
      %n = arith.addi %i, %one : i32
      scf.yield %n : i32
    }
    return
  }
}

// -----

// Another array is written over a part of the result.
// expected-error @+2 {{rows 8 to 16 of HBM end without the contents of array 1, a result}}
module attributes {kernel.arguments = array<i32: 0>, kernel.results = array<i32: 1>, kernel.hbm_plan = [#kernel.hbm_region<"arg0", rows = 8, base = 0>, #kernel.hbm_region<"out0", rows = 8, base = 8>, #kernel.hbm_region<"value", rows = 8, base = 12>]} {
  func.func @main() {
    %a = kernel.hbm 0 : <8x128xf32, hbm>
    %o = kernel.hbm 1 : <8x128xf32, hbm>
    %v = kernel.hbm 2 : <8x128xf32, hbm>
    kernel.call @k(%a, %o) : !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>
    kernel.call @k(%a, %v) : !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>
    return
  }
  kernel.func @k grid () (%x : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) {
    kernel.copy %x to %y sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
}
