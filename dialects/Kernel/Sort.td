//===- Sort.td - Sorting in VMEM -----------------------------*- tablegen -*-===//
//
// The tensor operation and the stage of a sorting network.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_SORT_TD
#define SYSTOLE_DIALECTS_KERNEL_SORT_TD

def Kernel_ColumnSortOp : Kernel_Op<"column_sort",
    [Pure, IsolatedFromAbove, SingleBlock, OpKindOf<"Sort">]> {
  let summary = "sort columns of arrays together, in VMEM";
  let description = [{
    Arrays have one shape [O, T, L] and elements of 32 bits; T is a power of two, at least 8. For each
    index along O, and each column r below L / `chunks`, the T * `chunks` elements (t, c * L / `chunks` + r)
    are sorted, of which the one at position c * T + t goes to (t, c * L / `chunks` + r). With several chunks
    L is a power of two, at most 128, and T at least 16.

    The body is the comparator: of two elements of each array, in pairs, whether the first ones come
    before the second ones, as `stablehlo` operations on tensors of rank 0. What it takes for equal keeps
    no order.

    With `merge` each column is bitonic, as the two sorted halves of a larger one are after the larger
    elements have moved to one and the smaller ones to the other: distances T * `chunks` / 2 to 1 are left.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$chunks, UnitAttr:$merge);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `chunks` `=` $chunks (`merge` $merge^)? attr-dict
    `:` functional-type($inputs, results) $body
  }];
  let hasVerifier = 1;
}

def Kernel_SortOp : Kernel_Op<"sort", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "a sorting network over rows";
  let description = [{
    What `kernel.column_sort` does, on buffers of VMEM; outputs are no inputs. The network is bitonic,
    and all its comparators are ascending: a level of 2^k elements compares each element of the lower
    half with its mirror image in the upper one, then elements at distances 2^(k-2), ..., 2, 1. Levels
    above T compare elements of different lanes.
  }];
  let arguments = (ins Variadic<Kernel_BufferType>:$inputs, Variadic<Kernel_BufferType>:$outputs,
                       I64Attr:$chunks, UnitAttr:$merge);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    `chunks` `=` $chunks (`merge` $merge^)? $body attr-dict
  }];
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_SORT_TD
