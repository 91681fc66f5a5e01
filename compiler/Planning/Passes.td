//===- Passes.td - Plans of kernels --------------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_PLANNING_PASSES_TD
#define SYSTOLE_COMPILER_PLANNING_PASSES_TD

include "compiler/Planning/PlanningOptions.td"
include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def AssignAccess : RewritePass<"systole-assign-access"> {
  let summary = "Decide which arrays that are read or written at computed positions stay in HBM";
  let description = [{
    A `dynamic_slice`, `dynamic_update_slice` or `gather` gets `kernel.access = "window"` if its
    kernel copies only the rows at its positions between HBM and VMEM. Without it the array comes to VMEM as a
    whole, or in blocks of the grid: small ones, of which windows would move as much, and those of which
    the planner finds a gather faster. Fusion, plans and kernel formation go by this attribute.
  }];
  let options = PlanningOptions.options;
}

def MarkSinglePass : RewritePass<"systole-mark-single-pass"> {
  let summary = "Mark the products of f32 that the MXUs compute in one pass";
  let description = [{
    A `dot_general` of f32 gets `kernel.single_pass` if its precision, or the default of the
    program where it asks for none, is one pass of bf16. Plans may then divide its depth anywhere.
  }];
  let options = PlanningOptions.options;
}

def RoundOperands : RewritePass<"systole-round-operands"> {
  let summary = "Round operands of products where they are computed";
  let description = [{
    The MXUs round operands of f32 to bf16 in products of one pass (`kernel.single_pass`). Here what
    a kernel computes for such a product is converted before, which gives the same bits: the
    conversion may then join the kernel of its producer, and half of the bytes go to HBM and back.
    Where it stays in the kernel of the product, that reads the elements as they are.
  }];
}

def WidenMasks : RewritePass<"systole-widen-masks"> {
  let summary = "Widen small masks that broadcasts repeat";
  let description = [{
    Blocks of an array in HBM begin at rows of 512 bytes, of which one holds four rows of a mask:
    kernels that read i1[8,128] could be divided into two steps along its first dimension, not
    eight. A mask that is broadcast to an array of at least four times as many elements becomes
    integers of 32 bits, which are compared with 0 behind the broadcast.
  }];
}

def PlanFusions : RewritePass<"systole-plan-fusions"> {
  let summary = "Check the plans of fusions, and make those that are absent";
  let description = [{
    Every `kernel.fusion` has a plan that its kernel can follow, or there is an error at its place:
    with a plan already, that is checked and kept; else the planner makes one.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def RandomizePlans : Pass<"systole-randomize-plans", "::mlir::ModuleOp"> {
  let summary = "Replace the plans of fusions by random legal ones";
  let description = [{
    For tests of what plans must not change, and to measure how much better than the planner's one
    could be. Axes, their order, tiles and buffers are drawn for each `kernel.fusion`; one for which
    no legal plan turns up keeps its own. The same seed gives the same plans.
  }];
  let options = !listconcat(PlanningOptions.options, [
    Option<"seed", "seed", "uint64_t", "0", "of the random numbers">,
    Option<"mostSteps", "most-steps", "int64_t", "256", "of the grid of one kernel">]);
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_PLANNING_PASSES_TD
