//===- Passes.td - What makes StableHLO computable -----------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_LEGALIZE_PASSES_TD
#define SYSTOLE_COMPILER_LEGALIZE_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"

def ExpandBroadcasts : RewritePass<"systole-expand-broadcasts"> {
  let summary = "Broadcast the operands of CHLO's broadcasting operations explicitly";
  let description = [{
    `chlo.broadcast_add` becomes `stablehlo.add` of operands of the result's shape, and so on. Before
    element types are lowered: what holds for an operation on them holds for its broadcasting form.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ExpandChlo : RewritePass<"systole-expand-chlo"> {
  let summary = "Replace CHLO operations by StableHLO operations";
  let description = [{
    Special functions become formulas in f32; narrower elements are widened. Afterwards the dialect
    `chlo` is illegal: an operation without an expansion is an error. Some functions of f64 remain
    for `systole-split-doubles`, which evaluates them in fixed-point numbers.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def RefineShapes : RewritePass<"systole-refine-shapes"> {
  let summary = "Derive static shapes from the shapes of the arguments";
  let description = [{
    Gives the entry's arguments the shapes `arguments`, propagates them through operations and control
    flow, and evaluates the integers on which shapes depend. Operations whose sizes are operands, such
    as dynamic_reshape, become the ones with constant sizes; `shape_assertion` is checked. An array whose
    size depends on data is padded to the bound of its type: its size is an i32 beside it, also as an
    argument or result (`kernel.dynamic_dim`), and what combines elements masks the padding. A size without
    a bound that is still dynamic afterwards is an error at its operation. Expects one function without
    calls.
  }];
  let options = [Option<"arguments", "arguments", "std::string", /*default=*/"",
                        "the shapes of all arguments as JSON, such as [[4, 8], []]">];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def PlaceHostArrays : RewritePass<"systole-place-host-arrays"> {
  let summary = "Replace values in the memory of the host by arrays there, and copies";
  let description = [{
    Finds the values that are in the memory of the host: arguments and results with `mhlo.memory_kind`,
    results of the custom call `annotate_device_placement`, and what their elements are moved to. Each
    of them is in one of `kernel.host_arrays`, or on the device; what copies it becomes
    `kernel.offload` and `kernel.fetch`. A loop updates its array where it is. Slices and updates at
    the first dimension copy what they need, where that is whole rows. Arguments and results in that
    memory leave the signature of the function. An operation that computes on such a value is an
    error. Expects one function without calls, and static shapes.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def Decompose : RewritePass<"systole-decompose"> {
  let summary = "Decompose operations into others, whatever their element type";
  let description = [{
    Replaces the operations that newer ones supersede, such as `dot`, `einsum` and `rng`, as well as
    `chlo.constant`, `chlo.ragged_dot` and `chlo.scan`. Random numbers come from Philox: each `rng` has
    a key of its own, and other numbers in each trip of a loop. Branches in the bodies of reducers, sorts
    and scatters become selections, and small tensors in them scalars. Operands of these are converted to
    the elements that the body computes with.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect", "::systole::chlo::CHLODialect"];
}

def ExpandOperations : RewritePass<"systole-expand-operations"> {
  let summary = "Expand StableHLO operations that others can express";
  let description = [{
    Afterwards there is no reduce_precision, no map, no bitcast_convert between elements of
    different widths, no contraction of i1 and no batched product of vectors.
  }];
}

def ExpandReduceWindow : RewritePass<"systole-expand-reduce-window"> {
  let summary = "Expand reduce_window to slices that the body combines";
  let description = [{
    The inputs are padded with the body's identity element (the initial value if it is
    unknown). Then, dimension by dimension, the elements of a window are combined one by one, or
    windows of 1, 2, 4, ... elements in pairs, which takes logarithmically many steps (as for
    cumulative sums), whichever reads less. A single large window is reduced. The initial value
    is combined once, at the end.
  }];
}

def ExpandSelectAndScatter : RewritePass<"systole-expand-select-and-scatter"> {
  let summary = "Expand select_and_scatter to selections on whole tensors";
  let description = [{
    For each element of the window (a tap), a strided slice contains the elements that all
    windows see there. A fold over the taps inside of the operand keeps the selected value and
    the number of its tap. Then the source elements of each tap are moved to the positions of
    that tap, and combined.
  }];
}

def ExpandCustomCalls : RewritePass<"systole-expand-custom-calls"> {
  let summary = "Expand custom calls of known targets to loops over whole tensors";
  let description = [{
    Matrices are of f32, f64 or complex numbers. Qr and ProductOfElementaryHouseholderReflectors: a
    reflector for each column, as in LAPACK's geqr2 and org2r, on transposed matrices, on the vector
    unit whatever the precision of products.
    LuDecomposition, for which narrower floats are widened to f32: panels of 128 columns
    sequentially, with the largest element as pivot; their contributions to later columns are
    products.
    Eigh: rounds of Jacobi rotations of disjoint pairs of rows and columns, in a loop until the
    elements beside the diagonal are small. ResizeBilinear, ResizeNearest and their gradients, of floats: two products in full
    precision with weight matrices. Other targets are unsupported.
  }];
}

def ExpandLinearAlgebra : RewritePass<"systole-expand-linear-algebra"> {
  let summary = "Expand cholesky and triangular_solve to loops and products";
  let description = [{
    Both are blocked: panels of 128 columns are loops on the vector unit, the rest are products
    in full precision. Systems are solved with the inverses of panels and refined once by the
    residual. Narrow elements are widened to f32. The factor of a matrix that is not positive
    definite is NaN.
  }];
}

def ExpandBatchNorm : RewritePass<"systole-expand-batch-norm"> {
  let summary = "Expand batch_norm_training, _inference and _grad to reductions and arithmetic";
  let description = [{
    Results are computed in f32, variances from differences to the mean, and rounded
    once to a narrower element type.
  }];
}

def ExpandRandom : RewritePass<"systole-expand-random"> {
  let summary = "Expand rng_bit_generator to integer arithmetic";
  let description = [{
    THREE_FRY (2 x 32 bits, 20 rounds) and PHILOX (4 x 32 bits, 10 rounds), the DEFAULT, with
    states and results in XLA's format. A state is a key and a counter of two words each; the
    counter has four words in a PHILOX state of three integers. Bitcasts of 32-bit words to a
    64-bit state and back are removed.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def ExpandSort : RewritePass<"systole-expand-sort"> {
  let summary = "Lay sorts out as columns that are sorted in VMEM";
  let description = [{
    Sorts become `kernel.column_sort` of arrays of 32-bit elements: a key, where the comparator compares one
    value of each position, the operands, and element numbers if the sort is stable, or if there is
    padding. Columns that do not fit in `vmem-bytes` beside their sorted copy are divided, and merged
    through HBM.
  }];
  let options = [Option<"vmemBytes", "vmem-bytes", "int64_t", /*default=*/"16777216",
                        "the bytes of VMEM that a sort may take">];
  let dependentDialects = ["::systole::kernel::KernelDialect",
                           "::systole::stablehlo::StableHLODialect"];
}

def SelectGathers : RewritePass<"systole-select-gathers"> {
  let summary = "Rewrite gathers that select elements within each row as masked selections";
  let description = [{
    If positions count along some dimensions of the operand and are computed along others (as in
    take_along_axis, or for the labels of a batch), elements are masked by a comparison with the
    index and combined by a bitwise `or`. A loop over positions would read and write one element
    in each step; the pass rewrites gathers for which the masked selection takes fewer cycles. Gathers
    of several elements of a row, whose selection would take longer than the latencies of two kernels,
    are left to `systole-look-up-gathers`.
  }];
  let options = [Option<"kernelCycles", "kernel-cycles", "int64_t", /*default=*/"1500",
                        "the latencies of a kernel">];
}

def OrderReductions : RewritePass<"systole-order-reductions"> {
  let summary = "Rewrite reductions whose result depends on the order of elements";
  let description = [{
    StableHLO combines elements in order, kernels in any order. Reductions with a symmetric body
    are unchanged. If the body selects one of two elements (argmin and argmax, which prefer the
    first NaN), the indices of elements are reduced along with them, to tell which comes first.
    Other bodies are applied to neighbours, in logarithmically many steps over whole tensors.
  }];
}

def SplitComplex : RewritePass<"systole-split-complex"> {
  let summary = "Split complex numbers into their parts";
  let description = [{
    A tensor of complex numbers becomes two of f32 or f64, of real and of imaginary parts. Operations become
    such on parts: movement and control flow the same ones, elementwise functions formulas, products
    four of real numbers, and reductions of parts that do not depend on each other two. Arguments
    and results keep their original type in `kernel.element`. Afterwards there are no complex
    numbers.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def SplitDoubles : RewritePass<"systole-split-doubles"> {
  let summary = "Split f64 into 32-bit words";
  let description = [{
    A tensor of f64 becomes two of ui32, of the low and of the high words of the bits. Movement and
    control flow become the same operations on words, arithmetic sequences of integer operations
    whose results are those of IEEE 754. Arguments and results keep their original type in
    `kernel.element`. Afterwards there is no f64.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def StoreSmallTypes : RewritePass<"systole-store-small-types"> {
  let summary = "Store small floats and integers, and quantized numbers, as integers";
  let description = [{
    A tensor of floats of at most 8 bits becomes one of ui8, their bits; of i2 and i4 one of i8, and
    of ui2 and ui4 one of ui8, the same numbers; of quantized numbers one of what stores them.
    Movement and control flow stay as they are. Other operations convert to f32, and round their
    results once; in the bodies of reducers only conversions round. Products take bf16, which is
    exact, or quantized bytes as integers. Results of integers wrap. Arguments and results keep their
    original type in `kernel.element`, quantized ones that of what stores them. Afterwards there are
    no such types.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def SplitIntegers : RewritePass<"systole-split-integers"> {
  let summary = "Split 64-bit integers into 32-bit words";
  let description = [{
    A tensor of i64 or ui64 becomes two of ui32, of low and of high words, or a single one of i32 or
    ui32 if its range fits; ranges follow from constants, iotas, conversions and the conditions of
    loops. Arguments and results always become two, with their original type in `kernel.element`.
    Reductions start with the identity element of their body. Operations become elementwise ones
    on words. Afterwards there are no 64-bit integers.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_LEGALIZE_PASSES_TD
