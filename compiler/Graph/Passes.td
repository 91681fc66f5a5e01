//===- Passes.td - Rewriting of tensor programs --------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_GRAPH_PASSES_TD
#define SYSTOLE_COMPILER_GRAPH_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"

def UnifyProducts : RewritePass<"systole-unify-products"> {
  let summary = "Convert the operands of products that have different element types";
  let description = [{
    As in XLA, contractions and convolutions are computed in the highest of the element types of
    operands and result (any float is above any integer, floats of larger range are above others),
    and the result is converted if its type is lower; an integer result is converted from sums in
    f32 where that type is a narrower float. Element types that the machine multiplies
    directly with the same result are kept: narrower floats with wider ones, integers with
    integers. 8-bit integers are converted to bf16 for a product with floats, which is exact.
  }];
}

def CloseBodies : RewritePass<"systole-close-bodies"> {
  let summary = "Copy constants into the reducers that use them";
  let description = [{
    The bodies of reductions, scatters and the like become part of a kernel, so they must not
    capture values. Captured constants are copied into them; any other captured value is an
    error. No later pass may hoist constants.
  }];
}

def WidenSums : RewritePass<"systole-widen-sums"> {
  let summary = "Accumulate sums and products of bf16 and f16 in f32";
  let description = [{
    `reduce` and `reduce_window` whose reducer adds or multiplies bf16 or f16 convert their inputs to
    f32 and their results back: they round once, as XLA's do. Minima, maxima and other reducers are
    unchanged.
  }];
}

def Simplify : RewritePass<"systole-simplify"> {
  let summary = "Remove identity operations on tensors, and merge compositions";
  let description = [{
    Afterwards: no identity reshape, transpose, broadcast, slice, pad, concatenation or
    conversion; no barrier of constants or rematerializable values; chains of reshapes,
    transposes and broadcasts are merged; broadcast dimensions ascend; operands of select and
    clamp have the result's shape; start indices are i32. Dead operations are erased.
  }];
  let options = [Option<"indexWords", "index-words", "int64_t", "1024",
                        "larger index tensors, in words, have the index vector dimension last">];
}

def SimplifyLoops : RewritePass<"systole-simplify-loops"> {
  let summary = "Remove invariant and unused loop-carried values";
  let description = [{
    Uses of an invariant loop-carried value of a `while` read the initial value
    instead; an unused loop-carried value is removed.
  }];
}

def SumBehindLoops : RewritePass<"systole-sum-behind-loops"> {
  let summary = "Sum the products that a loop accumulates behind it, as one product";
  let description = [{
    A `while` of known trips that adds `x^T g` to a loop-carried value in each of them, as the weight
    gradients of recurrent networks, reads and writes that value as a whole each time, and its
    products have the depth of one trip. Instead it stacks `x` and `g`, as far as it does not do so
    already or reads them from arrays at the number of the trip, and one product behind the loop has
    the depth of all trips. Sums of what is stacked move behind it, too. Parts of products (slices,
    transpositions, reshapes) may be accumulated by several values.
    New stacks take, in a trip, no more than the accumulators, and 1 GiB at most. Shapes alone
    decide, since the order of the sums is another one.
  }];
}

def BatchLoopProducts : RewritePass<"systole-batch-loop-products"> {
  let summary = "Compute products of all trips of a loop at once, in front of it or behind it";
  let description = [{
    In a `while` of known trips, a product of an array's position at the number of the trip with what
    no trip changes, as the inputs of a recurrent network with their weights, becomes one product of
    all positions in front of the loop, of which each trip reads its rows, if these are no more than
    the operands, or if another product, which depends on the trip before, would have a kernel of its
    own beside this one. A product with what no trip changes that only goes to a position of an
    array, as the gradient of these inputs, is computed behind the loop from stacked operands where
    these are stacked anyway, or are no larger than the result. The order of sums stays.
  }];
}

def FoldConstants : RewritePass<"systole-fold-constants"> {
  let summary = "Evaluate integer operations on small constants";
  let description = [{
    Additions, subtractions, products, bitwise operations, logical shifts, conversions between
    integers, slices, reshapes and broadcasts of integer constants become constants: of splats,
    and of other constants where the result has at most 256 elements. Arithmetic of floats is
    left to the machine.
  }];
}

def UnrollLoops : RewritePass<"systole-unroll-loops"> {
  let summary = "Unroll short counted loops over elementwise work";
  let description = [{
    A `while` whose condition compares a counter with a constant, and whose body has only
    elementwise operations, broadcasts, reshapes and movement, is replaced by its iterations if
    these have at most 512 operations. Fusion then keeps the loop-carried values in registers,
    which otherwise pass through HBM in each iteration: the rounds of JAX's random bits are such
    a loop. A loop whose body never runs is removed.
  }];
}

def CanonicalizeDots : RewritePass<"systole-canonicalize-dots"> {
  let summary = "Rewrite contractions to the canonical forms of the matrix unit";
  let description = [{
    Every dot_general becomes [B, M, K] x [B, K, N] or [B, M, K] x [B, N, K] (without B if
    there are no batching dimensions), with transposes and reshapes around it. The second form
    is chosen if the contracting dimension of the right operand is its last one already, and
    for a vector.
  }];
}

def RegroupConvolutions : RewritePass<"systole-regroup-convolutions"> {
  let summary = "Give convolutions with groups the groups that the machine takes well";
  let description = [{
    Groups with several features, on either side, are merged to about 128 of them, with weights that
    are zero between groups; of the gradients of their filters, which have batch groups, what lies
    within a group is kept. Non-finite values propagate to all results of a merged group.
  }];
}

def SpaceToDepth : RewritePass<"systole-space-to-depth"> {
  let summary = "Convolve blocks of positions whose features fill the lanes together";
  let description = [{
    Where rows of an image and of its result have several positions (row tiles), a convolution of blocks
    of so many positions along the last spatial dimension, [n, h, w / 2, (2, 64)], whose weights are those
    of the window for each position of a block, and 0 for other positions that the blocks have:
    `kernel.depth_blocks = [block, window, low]` says which. Kernels leave the products of these out, so
    that what is not finite reaches the windows that see it alone. It is done where the matrix unit has
    less to do then: 3 x 3 windows on 64 features take 9 pushes of 128 by 128 weights for two positions,
    in place of 12.
  }];
}

def FoldWindows : RewritePass<"systole-fold-windows"> {
  let summary = "Let elements of windows on images of few features be features";
  let description = [{
    Of an image whose features do not lie along the lanes, because they are few, the elements that a
    window sees next to each other become features of one position: [n, h, w, c] becomes
    [n, h', w', (taps, c)], in slices and a concatenation, and the convolution one with a smaller
    window and no stride. Gradients of filters are computed in the same way, from the same image.
    What takes the fewest cycles is chosen, a convolution and the gradient together.

    Where the images lie side by side along the lanes, a gradient sums along the lanes: each position
    of the result has a product of its own of the elements that windows see there, and the images of
    the gradient, and the products are summed.
  }];
}

def SumWindows : RewritePass<"systole-sum-windows"> {
  let summary = "Let elements of windows be features of results that have few";
  let description = [{
    Of a result with few features, as the gradient of an RGB image, what each element of the image gives
    for each element of the window is a feature of one product, and the result a sum of slices of rows
    that are full. Positions of a dilated image that see it with the same elements of the window are sums
    of their own, which are interleaved. Features along the lanes are moved there for the sum, where that
    takes fewer cycles than the products that are saved.
  }];
}

def CanonicalizeConvolutions : RewritePass<"systole-canonicalize-convolutions"> {
  let summary = "Bring convolutions into the forms that the matrix unit takes";
  let description = [{
    Every convolution has one of the forms of compiler/Tensor/Convolutions.h, whichever
    takes fewer cycles, with a `pad`, `reverse`, reshapes and transposes around it; one
    whose window is a single element is a dot_general. The sums of the second form are
    wide and rounded afterwards.
  }];
}

def CanonicalizeScatters : RewritePass<"systole-canonicalize-scatters"> {
  let summary = "Rewrite scatters to window updates, selections, or row scatters";
  let description = [{
    A scatter of one window becomes a dynamic_update_slice. One whose indices count along all
    but a few positions becomes a selection over the whole input. All others get the form in
    compiler/Tensor/Scatters.h, with transposes and reshapes around it.
  }];
}

def OrderSums : RewritePass<"systole-order-sums"> {
  let summary = "Set the order in which reductions combine their elements";
  let description = [{
    Every reduction gets `kernel.order` from its shape, before layouts are chosen, so that neither
    they nor plans nor targets change a bit of its result.
    One over a dimension of which several positions may share a row of 128 lanes (`rowTile`)
    becomes two: over rows, and over the positions in a row.
  }];
  let dependentDialects = ["::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_GRAPH_PASSES_TD
