//===- Passes.td - Fusion ------------------------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_FUSION_PASSES_TD
#define SYSTOLE_COMPILER_FUSION_PASSES_TD

include "compiler/Planning/PlanningOptions.td"
include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def SplitConvolutions : RewritePass<"systole-split-convolutions"> {
  let summary = "Make several convolutions of one whose weights or sums are too large";
  let description = [{
    Of convolutions in the form with positions, whose kernels keep the weights of 128 results, of
    groups all, in VMEM. Parts of the groups give parts of the results; parts of the image's
    features, in whole rows of 128, or else of the window's elements give sums that are added.
    Sums are wide and rounded afterwards.

    Of filters' gradients, whose kernels keep the sums, and of groups the operands, those for which
    no grid is found. Parts of the groups or of the window's places give parts of the result.
  }];
  let options = PlanningOptions.options;
  // The planner asks what buffers would be.
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def LookUpGathers : RewritePass<"systole-look-up-gathers"> {
  let summary = "Rewrite gathers of single elements as lookups by the cross-lane unit";
  let description = [{
    Gathers whose positions take one element each become `kernel.lookup`, of tables of words in VMEM, where
    the planner finds it faster than a loop over positions.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def LookUpTransposes : RewritePass<"systole-look-up-transposes"> {
  let summary = "Rewrite transpositions that interleave lanes as lookups by the cross-lane unit";
  let description = [{
    A transposition of [.., a, b] to [.., b, a] and a reshape to rows of a x b elements become `kernel.lookup`
    of constant lanes in rows of a x b, where the planner finds it faster.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def ElideFills : RewritePass<"systole-elide-fills"> {
  let summary = "Do not fill arrays that a loop writes as a whole";
  let description = [{
    An array of which a `while` of known trips replaces one position in each of them, every position
    once, and which it does not read, has no use for its initial value: that becomes
    `kernel.uninitialized`.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def SplitSums : RewritePass<"systole-split-sums"> {
  let summary = "Make two sums of one over rows and a tree";
  let description = [{
    A sum over dimensions of which one is the tree of its order needs them all at once. As a sum of
    the rows of each index of the tree and the sum of these, which gives the same bits, the first
    one may share a kernel that is divided along the tree's dimension, as the batch of a gradient.
  }];
}

def GroupParts : RewritePass<"systole-group-parts"> {
  let summary = "Make one operation of parts that are computed together";
  let description = [{
    An operation of the program that expands to a hundred elementwise ones (`kernel.expanded`) takes
    planning as long as a hundred. Those of equal shape from which the same results of the expansion
    follow become one `kernel.elementwise`: a kernel that computes one of them has use for all.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def MergeReductions : RewritePass<"systole-merge-reductions"> {
  let summary = "Merge reductions that read a tensor in common";
  let description = [{
    Reductions of equal shapes, dimensions and orders of sums, none of which depends on another and
    whose inputs are expressions of a common tensor, such as sums of a tensor and of its squares,
    become one of several results. Its loop reads the tensor once, and its accumulators are
    independent chains, where that of a single sum waits for each addition's result.
  }];
}

def RoundInvariantOperands : RewritePass<"systole-round-invariant-operands"> {
  let summary = "Round loop-invariant operands of products to bf16 once";
  let description = [{
    The MXUs round the operands of a product of one pass (`kernel.single_pass`) to bf16. An f32
    operand that a loop does not change, and of which it has products of one pass alone, is rounded
    in front of the outermost such loop, so that each trip reads half of the bytes, unless the loop is
    known to run at most three times: rounding moves as much as three trips save. The products have
    the same bits.
  }];
}

def RecomputeStacks : RewritePass<"systole-recompute-stacks"> {
  let summary = "Recompute what a loop stacks from other stacks, where their rows are read";
  let description = [{
    Recurrent networks stack in each trip what their gradient needs, such as y and 1 - y. An array of
    which each position is elementwise work on the same positions of other stacks, and that loops read
    only where they read these, is not stacked: its readers compute it, if that takes fewer cycles of
    the vector unit than HBM's channel takes for its rows.
  }];
}

def PlaceParts : RewritePass<"systole-place-parts"> {
  let summary = "Read and write rows of arrays at computed positions where they are";
  let description = [{
    A `dynamic_slice` whose elements are one run of whole rows, of an array that nothing updates,
    becomes a `kernel.part`, which kernels read in the blocks of their grids; a copy in VMEM at each
    step, which nothing overlaps, is not needed then. A `dynamic_update_slice` of such a run that a
    loop carries, and that alone reads the old array, becomes a `kernel.replace_part`: the kernel
    that computes the update writes it to its place.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def SplitTransposes : RewritePass<"systole-split-transposes"> {
  let summary = "Make transpositions of many dimensions several of few";
  let description = [{
    A copy takes a loop for most dimensions of a transposition, and the machine nests only so many.
    One of more than `most-dimensions`, where dimensions that stay together count as one, becomes a
    sequence of exchanges of two neighbours, between reshapes.
  }];
  let options = [Option<"mostDimensions", "most-dimensions", "int64_t", "13",
                        "dimensions of a transposition that is kept">];
}

def FlattenReshapes : RewritePass<"systole-flatten-reshapes"> {
  let summary = "Take reshapes that no kernel can cut through one dimension";
  let description = [{
    Blocks of a reshape hold whole rows on both sides. Where those that do are too large, the rows
    of the operand become one dimension of all elements and that the rows of the result: blocks
    of each are as many rows as make a multiple of 128 elements. Rows under another shape
    are the same (`kernel.reinterpret`).
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def Fuse : RewritePass<"systole-fuse"> {
  let summary = "Group tensor operations into kernels";
  let description = [{
    Every tensor operation outside control flow ends in a `kernel.fusion`. An
    operation joins the kernel of the last of its producers when that kernel's blocks still
    fit into VMEM: elementwise work and reductions follow a contraction into its
    epilogue, and each other. A kernel has at most one contraction.
    Splat constants, iota and broadcasts are copied into each kernel that reads
    them. Positions for dynamic slices and gathers must have left their kernel before.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def Recompute : RewritePass<"systole-recompute"> {
  let summary = "Compute cheap values again where they are read";
  let description = [{
    A result of a fusion that elementwise work, reshapes and transpositions make of arrays which are
    in HBM anyway need not go there itself: each reader has a copy of that work. What several results
    follow from goes to HBM instead of them. Done where the kernels concerned then take less time.
    Runs before and after `systole-merge-fusions`: of merged kernels fewer values leave.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def MergeFusions : RewritePass<"systole-merge-fusions"> {
  let summary = "Make one kernel of two that read the same array";
  let description = [{
    Two fusions without products that read the same array become one, at the place of either,
    if the blocks of both fit into VMEM together: the array is read once, and what the second reads of
    the first stays in VMEM. The mean and the variance of a batch are sums of this kind, the
    elements of a window slices of this kind.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def OrderKernels : RewritePass<"systole-order-kernels"> {
  let summary = "Order kernels so that few arrays are live at a time";
  let description = [{
    Of list schedules of each block, from its start and from its end, and the order of the program the one
    with the lowest peak of HBM; the program's where no other has a lower one. Barriers and transfers
    with the host keep their places among what they wait for, and what an update or the next value of a loop
    replaces is read before.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def Rematerialize : RewritePass<"systole-rematerialize"> {
  let summary = "Compute values anew behind the peak of HBM where a program does not fit";
  let description = [{
    Of the results of kernels that are live when most is, and only read afterwards, those are computed
    by a kernel of their own before their next reader that cost least for each byte which they take from the
    peak, until the program fits. What a copy reads must be live then anyway, or be smaller. Barriers are
    not crossed. Programs that fit stay as they are.
  }];
  let options = PlanningOptions.options # [
    Option<"hbmRows", "hbm-rows", "int64_t", "33554432", "rows of 512 bytes that a core has">];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def ResolveBarriers : RewritePass<"systole-resolve-barriers"> {
  let summary = "Make barriers other names of the arrays that pass them";
  let description = [{
    The order of kernels is decided by now, and with it what barriers are for. Each
    `optimization_barrier` becomes one `kernel.reinterpret` per result that is read, which takes no
    kernel, no copy and no memory.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

def ExplainFusions : Pass<"systole-explain-fusions", "::mlir::ModuleOp"> {
  let summary = "Say which plans lost, why neighbours are kernels of their own, and what is padding";
  let description = [{
    Asks the planner again, for each `kernel.fusion` with a plan: which other plans a search compares
    with that one (the remark `Alternative`), and for each fusion that reads a result whether one
    kernel could do both and what it would take (`TwoKernels`). `Plan` has what the fusion's own plan
    takes, and the bytes of its blocks that are padding. Changes nothing; ordinary compilations do
    without it.
  }];
  let options = PlanningOptions.options;
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_FUSION_PASSES_TD
