//===- Passes.td - Arrays and blocks across kernels ----------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_RESIDENCY_PASSES_TD
#define SYSTOLE_COMPILER_RESIDENCY_PASSES_TD

include "compiler/Planning/PlanningOptions.td"
include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def PlanResidency : RewritePass<"systole-plan-residency"> {
  let summary = "Plan which arrays and blocks live across kernels, where, and which copies fill them";
  let description = [{
    With `arrays`, at the end of the fusion level, whose plans change with what VMEM keeps:

    1. Each `kernel.fetch` moves from where its tensor is read first to so many kernels earlier that these
       take as long as the copy, by their estimates; not before what is read of the copy before it, so that
       one array more is in HBM. Where the program would not fit then, its operations stay in their order.
       Copies in a loop with a known number of trips are `kernel.staged` if each trip takes longer than a
       copy within HBM: what a trip reads is copied while the one before runs, and what it writes while the
       next one runs.
    2. For loops, outer ones before inner ones: an array from outside of a `while` that kernels in it copy
       to VMEM in blocks, a loop-carried value, or a part of an array becomes a `kernel.resident`, and these
       kernels read it in place. All kernels of the loop then plan with less VMEM: arrays are kept one after
       the other, those that are read most often first, where the model expects that the trips save more
       cycles than the loading takes.
    3. For the kernels of each block: a result stays in VMEM from the fusion that makes it to its last
       reader, if the model expects that the kernels, with the VMEM that is left, save cycles.
    4. Of an array in HBM that kernels of a block read one soon after the other, the first one leaves a copy
       in VMEM for the others, under the same condition: a `convert` to the same type is another result of
       it.

    With `first-blocks`, at the kernel level, by plans that may be forced: where two fusions stand one
    behind the other, with no control flow between them, the first one loads the first blocks of the second
    one's inputs while its last steps run, as far as VMEM has room for both and it does not make them
    itself: `prefetched` of the second one says which and to where, and `reserved` of both grows. Plans stay as
    they are.
  }];
  let options = PlanningOptions.options # [
    Option<"arrays", "arrays", "bool", "true", "plan copies from the host and arrays that VMEM keeps">,
    Option<"firstBlocks", "first-blocks", "bool", "true", "plan first blocks that kernels load ahead">,
    Option<"hbmRows", "hbm-rows", "int64_t", "33554432", "rows of 512 bytes that a core has">];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_RESIDENCY_PASSES_TD
