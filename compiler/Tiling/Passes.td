//===- Passes.td - From fusions to kernels -------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_TILING_PASSES_TD
#define SYSTOLE_COMPILER_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"systole-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn fusions into kernels over a static plan of HBM";
  let description = [{
    Every fusion becomes a call of a `kernel.func`, tiled as its plan says; equal kernels are one. Tensors
    get buffers: what a loop carries stays in one buffer, which its body updates
    in place where nothing reads the old value afterwards; results are computed
    where they leave the program. `while`, `if` and `case` become the sequencer's
    control flow. The module says in `kernel.hbm_plan` where each buffer is, in
    `kernel.arguments` and `kernel.results` which of them are the program's
    signature, in `kernel.signature` their types as they lie and in `kernel.argument_layouts` and
    `kernel.result_layouts` how the caller names their dimensions, in `kernel.argument_elements` and
    `kernel.result_elements` which two are the words of an array of 64-bit integers, in
    `kernel.argument_sizes` and `kernel.result_sizes` which are sizes of the array before them (of which
    dimension, or -1), and in `kernel.constants` what stands in HBM from the start.
  }];
  let options = [
    Option<"smemWords", "smem-words", "int64_t", "4096",
           "SMEM that the indices of one kernel may take">,
    Option<"hbmRows", "hbm-rows", "int64_t", "33554432", "rows of 512 bytes that a core has">,
    Option<"precision", "precision", "int", "1",
           "bf16 passes of an f32 contraction that asks for the default: 1, 3 or 6">];
  let dependentDialects = ["::systole::kernel::KernelDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def VerifyResidency : Pass<"systole-verify-residency", "::mlir::ModuleOp"> {
  let summary = "Verify copies in flight, and what rows of HBM and VMEM contain";
  let description = [{
    On each path through the program around kernels: a copy starts with a flag that no other copy in
    flight has, and is waited for once; nothing accesses its rows meanwhile, unless both read; branches
    that join, and iterations, have the same copies in flight; an array is read where its contents are,
    which nothing has been written over; a kernel writes no rows that it reads, but for the same blocks
    of one array. Each error is a fault of the compiler.
  }];
}

def ReplicateRows : Pass<"systole-replicate-rows", "::mlir::ModuleOp"> {
  let summary = "Keep results of reductions over lanes in all lanes, where stages broadcast them";
  let description = [{
    A reduction over the lanes has its result in all of them. In a buffer with such results along the
    lanes it takes a masked store for eight of them, and each stage that broadcasts one to a row takes
    the cross-lane unit to find it again. In a replicated buffer each has a row of its own. So does
    what maps compute of such results alone, if that is worth less than the broadcasts, and VMEM has
    room.
  }];
}

#endif // SYSTOLE_COMPILER_TILING_PASSES_TD
