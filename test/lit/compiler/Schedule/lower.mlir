// Routines of `core` become machine functions: structured control flow becomes loops and conditionals
// of the sequencer, values of vectors, masks and scalars become virtual registers.
// RUN: systole-opt %s --systole-core-to-machine="print-after=lower" | FileCheck %s

module attributes {core.regions = [#core.region<name = "x", space = vmem, base = 0, size = 64, owner = "">, #core.region<name = "n", space = smem, base = 0, size = 8, owner = "">]} {
  // CHECK: region "x" vmem 0 64 ""
  // CHECK-NEXT: region "n" smem 0 8 ""
  // CHECK: entry @main

  // Arguments arrive in s0, which other values may need; a constant trip count is a field of the loop, and row numbers are carried.
  // CHECK-LABEL: routine @square(s0)
  // CHECK: [[N:%s[0-9]+]] = s.mov s0
  // CHECK: loop 8 independent carried([[ROW:%s[0-9]+]] = 0 -> [[NEXT:%s[0-9]+]])
  // CHECK: [[A:%v[0-9]+]] = vld.b32 [[ROW]], 1, m0, 0, 0
  // CHECK-NEXT: [[B:%v[0-9]+]] = v.fmul [[A]], [[A]]
  // CHECK-NEXT: vst.b32 [[B]], [[ROW]], 1, m0, 0, 0
  // CHECK-NEXT: [[NEXT]] = s.add [[ROW]], 8
  // CHECK: if [[N]] !
  // CHECK: s.st [[N]], 0, 1
  func.func private @square(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %all = core.m.all : !core.m
    scf.for %row = %c0 to %c64 step %c8 : i32 {
      %a = core.vld.b32 %row, %c1, %all {offset = 0 : i32, region = 0 : i32} : (i32, i32, !core.m) -> !core.v
      %b = core.v.fmul %a, %a : (!core.v, !core.v) -> !core.v
      core.vst.b32 %b, %row, %c1, %all {offset = 0 : i32, region = 0 : i32} : (!core.v, i32, i32, !core.m) -> ()
    } {core.noalias_iterations}
    %p = core.cond %n
    scf.if %p {
      core.s.st %n, %c0 {region = 1 : i32} : (i32, i32) -> ()
    }
    return
  }

  // CHECK-LABEL: routine @main()
  // CHECK: s0 = s.mov 5
  // CHECK: call @square(s0)
  func.func @main() {
    %c5 = arith.constant 5 : i32
    call @square(%c5) : (i32) -> ()
    return
  }
}
