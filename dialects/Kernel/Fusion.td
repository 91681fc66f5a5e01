//===- Fusion.td - Fused tensor operations -------------------*- tablegen -*-===//
//
// The bridge from graph to kernels: tensor operations that share one kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_FUSION_TD
#define SYSTOLE_DIALECTS_KERNEL_FUSION_TD

def Kernel_FusionOp : Kernel_Op<"fusion", [IsolatedFromAbove, SingleBlock]> {
  let summary = "tensor operations that become one kernel";
  let description = [{
    The body computes the results from the operands with `stablehlo` operations on
    tensors; it has one block argument per operand and ends in `kernel.fused`. Before
    `systole-fuse` a fusion contains operations that must share a kernel; that pass may
    add others. `kind` is the class of the dominant operation: "dot", "convolution",
    "reduce", "sort", "loop", "copy". `plan` says how the kernel is tiled: fusion leaves the plan with
    which it decided, `systole-plan-fusions` makes those that are absent. The kernel leaves the last
    `reserved` rows of VMEM to results of kernels that others read there (`kernel.resident`), and to
    blocks that the kernel before loads (`prefetched`).
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, StrAttr:$kind,
                       OptionalAttr<Kernel_PlanAttr>:$plan, OptionalAttr<I64Attr>:$reserved,
                       OptionalAttr<TypedArrayAttrBase<Kernel_PrefetchAttr, "inputs of which the fusion before loads the first block">>:$prefetched);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  // Without a plan, and without arrays that VMEM keeps.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs, "::mlir::ValueRange":$inputs,
                                 "::llvm::StringRef":$kind), [{
    build($_builder, $_state, outputs, inputs, kind, /*plan=*/PlanAttr(),
          /*reserved=*/::mlir::IntegerAttr(), /*prefetched=*/::mlir::ArrayAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_FusedOp : Kernel_Op<"fused", [Pure, Terminator, HasParent<"FusionOp">]> {
  let summary = "results of a fusion";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Kernel_ElementwiseOp : Kernel_Op<"elementwise",
    [Pure, IsolatedFromAbove, SingleBlock, OpKindOf<"Elementwise">]> {
  let summary = "several elementwise operations as one";
  let description = [{
    The body computes an element of each result from the elements of the operands at the same index,
    with `stablehlo` operations on tensors of rank 0. Operands and results have one shape. Planning
    takes as long for it as for a single operation.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, results) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operations of the body.
    ::llvm::iterator_range<::mlir::Block::iterator> getOps() {
      return getBody().front().without_terminator();
    }
    /// The element of a result.
    ::mlir::Value elementOf(::mlir::OpResult result) {
      return getBody().front().getTerminator()->getOperand(result.getResultNumber());
    }
  }];
}

def Kernel_ReinterpretOp : Kernel_Op<"reinterpret", [Pure]> {
  let summary = "the logical rows of a tensor as another tensor";
  let description = [{
    Tensors with elements of equal size and as many logical rows of 128 elements are the same
    bytes in HBM. As `tensor<Rx128xT>` the padding of a tensor's rows is elements of
    unspecified value: elementwise operations can process those rows from any row on.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Kernel_PartOp : Kernel_Op<"part", [Pure]> {
  let summary = "a part of an array at a computed position, where it is";
  let description = [{
    What `stablehlo.dynamic_slice` gives, as a part of the operand's bytes in HBM: the slice of size
    `sizes` is one run of rows, whole groups of eight logical rows wherever it starts. The result has
    the shape `sizes`, or another one with the same rows. Kernels read it like any array, in blocks of
    their grids.
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<AnyRankedTensor>:$starts,
                       DenseI64ArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $starts `]` `sizes` `=` $sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Kernel_ReplacePartOp : Kernel_Op<"replace_part", [Pure]> {
  let summary = "an array of which a part at a computed position is another one";
  let description = [{
    What `stablehlo.dynamic_update_slice` gives. The part is one run of rows as in `kernel.part`: a
    kernel that makes `update` writes it there, if the array is updated in place.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$update,
                       Variadic<AnyRankedTensor>:$starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $update `[` $starts `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Kernel_UninitializedOp : Kernel_Op<"uninitialized", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tensor of unspecified elements";
  let description = [{
    The initial value of an array that a loop writes as a whole before anything reads it: it has a
    buffer, which nothing fills.
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Kernel_MulHighOp : Kernel_Op<"mul_high",
    [Pure, Commutative, SameOperandsAndResultType, OpKindOf<"Elementwise">]> {
  let summary = "the high words of unsigned products";
  let description = [{
    The upper 32 of the 64 bits of each product of two unsigned 32-bit integers, as the machine's
    `mulhi` computes them; StableHLO has no such operation. Elementwise on tensors, and on rank-0
    tensors in the bodies of stages.
  }];
  let arguments = (ins RankedTensorOf<[UI32]>:$lhs, RankedTensorOf<[UI32]>:$rhs);
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "the same buffer under another shape";
  let description = [{
    Row-linear buffers with equal element type, last dimension and number of
    rows are the same bytes: reshaping the leading dimensions costs nothing. So are those whose
    last dimensions fill their rows of 128.
  }];
  let arguments = (ins Kernel_BufferType:$source);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Kernel_RowsOp : Kernel_Op<"rows", [Pure]> {
  let summary = "a part of a buffer as a buffer";
  let description = [{
    The logical rows of a VMEM buffer from the given one on, as many as the result has. The
    row must be in bounds. Only operands of `kernel.map` may be parts, but for those that are
    `aligned`: they consist of whole groups of eight rows of 512 bytes, and their row is the first
    one in its row of 512 bytes.
  }];
  let arguments = (ins Kernel_BufferType:$source, I32:$row, UnitAttr:$aligned);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$source `at` $row (`aligned` $aligned^)? attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_KERNEL_FUSION_TD
