//===- Passes.td - Rewriting of tensor programs --------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_GRAPH_PASSES_TD
#define SYSTOLE_COMPILER_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandChlo : Pass<"systole-expand-chlo", "::mlir::ModuleOp"> {
  let summary = "Replace CHLO operations by StableHLO operations";
  let description = [{
    Special functions become formulas in f32, to which narrower elements are widened;
    operations that broadcast bring their operands to one shape first. Afterwards there is
    no operation of the dialect `chlo`: one that nothing replaces is an error.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ExpandOperations : Pass<"systole-expand-operations", "::mlir::ModuleOp"> {
  let summary = "Replace StableHLO operations that others express";
  let description = [{
    Afterwards there is no reduce_precision and no map, no bitcast_convert between elements
    of different widths, no contraction of truth values and none of a batch of vectors.
  }];
}

def UnifyProducts : Pass<"systole-unify-products", "::mlir::ModuleOp"> {
  let summary = "Convert the operands of products that have different element types";
  let description = [{
    As XLA does: contractions and convolutions are computed in the higher type of the operands'
    (any float is above any integer, floats of more range above others), or in the result's if
    that is higher still, and the result is converted otherwise. Elements that the machine
    multiplies as they are, with the same result, stay: floats beside wider floats, integers
    beside integers. Integers of 8 bits beside floats become bf16, which is exact.
  }];
}

def CloseBodies : Pass<"systole-close-bodies", "::mlir::ModuleOp"> {
  let summary = "Copy constants into the bodies that use them";
  let description = [{
    The bodies of operations that combine elements become part of a kernel, so they may use
    nothing from outside. Constants are copied into them; any other value is an error.
    No constant may be moved after this pass.
  }];
}

def ExpandReduceWindow : Pass<"systole-expand-reduce-window", "::mlir::ModuleOp"> {
  let summary = "Replace reduce_window by slices that the body combines";
  let description = [{
    The inputs are padded with what changes nothing (the initial value if the body's
    identity is unknown). Then dimension by dimension either all elements of a window are
    combined one by one, or windows of 1, 2, 4, ... elements by pairs, which takes
    logarithmically many steps (so cumulative sums do), whichever reads less. What a single large
    window shows is reduced. The initial value is combined once, at the end.
  }];
}

def ExpandSelectAndScatter : Pass<"systole-expand-select-and-scatter", "::mlir::ModuleOp"> {
  let summary = "Replace select_and_scatter by selections of whole tensors";
  let description = [{
    For each element of the window (a tap), a strided slice is what all windows show there;
    from tap to tap the selected value and the number of its tap are kept, of taps that are in
    the operand only. Then what goes to each tap is spread to the places of that tap, and
    combined.
  }];
}

def ExpandCustomCalls : Pass<"systole-expand-custom-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls of the targets that are known by loops over whole tensors";
  let description = [{
    Qr and ProductOfElementaryHouseholderReflectors, of f32: a reflector for each column,
    as LAPACK's geqr2 and org2r have them, with the columns as rows. All of it is
    arithmetic of f32 on the vector unit, whatever the precision of products.
    LuDecomposition, of f32, to which narrower floats are widened: panels of 128 columns
    one by one, with the largest element as pivot; what they contribute to the columns
    after them are products. ResizeBilinear, ResizeNearest and their gradients, of floats: two
    products in full precision with matrices of weights. Other targets are refused.
  }];
}

def ExpandLinearAlgebra : Pass<"systole-expand-linear-algebra", "::mlir::ModuleOp"> {
  let summary = "Replace cholesky and triangular_solve by loops and products";
  let description = [{
    Both in parts: panels of 128 columns by loops over these on the vector unit, the rest by
    products in full precision. Systems are solved with the inverses of panels, corrected
    once by what is left over. Narrow elements are widened to f32. A matrix that is not
    positive definite has a factor of NaNs.
  }];
}

def ExpandBatchNorm : Pass<"systole-expand-batch-norm", "::mlir::ModuleOp"> {
  let summary = "Replace batch_norm_training, _inference and _grad by reductions and arithmetic";
  let description = [{
    All of it is computed in f32, variances of differences from the mean, and rounded
    once to a narrower element type.
  }];
}

def ExpandRandom : Pass<"systole-expand-random", "::mlir::ModuleOp"> {
  let summary = "Replace rng_bit_generator by integer arithmetic";
  let description = [{
    THREE_FRY (2 x 32 bits, 20 rounds) and PHILOX (4 x 32 bits, 10 rounds), which DEFAULT is,
    as XLA lays out states and results. A state is a key and a counter, of two words each, or of four
    in a state of PHILOX with three integers. Words of 32 bits that are read as a 64-bit state, and that as
    words again, are these words.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def ExpandSort : Pass<"systole-expand-sort", "::mlir::ModuleOp"> {
  let summary = "Replace sort by a network of comparisons of halves";
  let description = [{
    A bitonic network on a power of two of elements, a loop for each stage, so that there are
    logarithmically many operations. Where the sort is stable, or there is padding, elements are
    numbered: numbers decide where the comparator does not, and tell padding.
  }];
}

def SelectGathers : Pass<"systole-select-gathers", "::mlir::ModuleOp"> {
  let summary = "Replace gathers that choose among the elements of each row by selections";
  let description = [{
    Where positions count along some dimensions of the operand and data decide along others (what
    take_along_axis does, labels of a batch), the element wanted is compared for, and all others are
    0 in a combination by `or` of their bits. A loop over positions reads and writes one element in
    each step; this form is taken where it needs fewer cycles.
  }];
}

def OrderReductions : Pass<"systole-order-reductions", "::mlir::ModuleOp"> {
  let summary = "Make the order in which elements are combined matter to no reduction";
  let description = [{
    StableHLO combines elements in their order, kernels in any. Bodies that are the same with
    their arguments exchanged stay. Bodies that choose one of two elements (arguments of extremes,
    which prefer the first among NaNs) learn from the elements' places which comes first. All
    others are applied to neighbours, in logarithmically many steps over whole tensors.
  }];
}

def SplitIntegers : Pass<"systole-split-integers", "::mlir::ModuleOp"> {
  let summary = "Make 32-bit words of 64-bit integers";
  let description = [{
    A tensor of i64 or ui64 becomes two of ui32, of low and of high words, or, where its numbers are
    known to fit, one of i32 or ui32; bounds come from constants, iotas, conversions and the
    conditions of loops. Arguments and results are always two, which `kernel.element` marks with
    the type that they had. Reductions begin with the identity of their body. Operations become elementwise ones on words. Afterwards
    there are no 64-bit integers.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def Simplify : Pass<"systole-simplify", "::mlir::ModuleOp"> {
  let summary = "Remove tensor operations that change nothing, and merge those that compose";
  let description = [{
    Afterwards: no identity reshape, transpose, broadcast, slice, pad,
    concatenation or conversion; no barrier of constants or repeated values; chains of reshapes, transposes and
    broadcasts are one each; broadcast dimensions ascend; operands of select and
    clamp have the result's shape; start indices are i32. Dead operations are gone.
  }];
  let options = [Option<"indexWords", "index-words", "int64_t", "1024",
                        "indices of more words have their components last">];
}

def SimplifyLoops : Pass<"systole-simplify-loops", "::mlir::ModuleOp"> {
  let summary = "Take out of loops what they carry without changing or reading it";
  let description = [{
    A value that every iteration of a `while` passes on as it is becomes a value
    from outside of the loop; one that nobody reads is not carried at all.
  }];
}

def CanonicalizeDots : Pass<"systole-canonicalize-dots", "::mlir::ModuleOp"> {
  let summary = "Bring contractions into the forms that the matrix unit takes";
  let description = [{
    Every dot_general becomes [B, M, K] x [B, K, N] or [B, M, K] x [B, N, K] (without B when
    nothing is batched), with transposes and reshapes around it. The second form
    is chosen when the right operand's contracting dimension is its last already, and
    for a vector.
  }];
}

def RegroupConvolutions : Pass<"systole-regroup-convolutions", "::mlir::ModuleOp"> {
  let summary = "Give convolutions with groups the groups that the machine takes well";
  let description = [{
    Groups with several features, on either side, are merged to about 128 of them, with weights that
    are zero between groups; of the gradients of their filters, which have batch groups, what lies
    within a group is kept. What is not finite reaches all results of a merged group.
  }];
}

def FoldWindows : Pass<"systole-fold-windows", "::mlir::ModuleOp"> {
  let summary = "Let elements of windows on images of few features be features";
  let description = [{
    Of an image whose features do not lie along the lanes, because they are few, the elements that a
    window sees next to each other become features of one position: [n, h, w, c] becomes
    [n, h', w', (taps, c)], in slices and a concatenation, and the convolution one with a smaller
    window and no stride. Gradients of filters are computed in the same way, from the same image.
    What takes the fewest cycles is chosen, a convolution and the gradient together.
  }];
}

def SumWindows : Pass<"systole-sum-windows", "::mlir::ModuleOp"> {
  let summary = "Let elements of windows be features of results that have few";
  let description = [{
    Of a result whose features do not lie along the lanes, because they are few, as the gradient of an
    RGB image, what each element of the image gives for each element of the window is a feature of one
    product, and the result a sum of slices of rows that are full. Positions of a dilated image that see
    it with the same elements of the window are sums of their own, which are interleaved.
  }];
}

def CanonicalizeConvolutions : Pass<"systole-canonicalize-convolutions", "::mlir::ModuleOp"> {
  let summary = "Bring convolutions into the forms that the matrix unit takes";
  let description = [{
    Every convolution has one of the forms of compiler/Graph/Convolutions.h, whichever
    takes fewer cycles, with a `pad`, `reverse`, reshapes and transposes around it; one
    whose window is a single element is a dot_general. The sums of the second form are
    wide and rounded afterwards.
  }];
}

def CanonicalizeScatters : Pass<"systole-canonicalize-scatters", "::mlir::ModuleOp"> {
  let summary = "Turn scatters into updates of windows, selections, or scatters of rows";
  let description = [{
    A scatter of one window is a dynamic_update_slice. One whose indices count along
    dimensions, but for few, is a selection over the whole input. Every other one has the form
    of compiler/Graph/Scatters.h afterwards, with transposes and reshapes around it.
  }];
}

#endif // SYSTOLE_COMPILER_GRAPH_PASSES_TD
