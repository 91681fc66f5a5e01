//===- Kernel.td - Kernels over blocks in VMEM ---------------*- tablegen -*-===//
//
// The level between fused tensor operations and machine instructions: kernels
// with a grid, HBM operands divided into blocks, and stages that work on blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_KERNEL_TD
#define SYSTOLE_DIALECTS_KERNEL_KERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/StableHLO/OpKind.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::systole::kernel";
  let summary = "Kernels: a grid, blocks in VMEM, and stages over them";
  let description = [{
    A kernel reads and writes HBM buffers block by block. Its body is a sequence
    of stages in destination style: `map`, `reduce`, `copy` and `dot` read whole
    VMEM buffers and write whole VMEM buffers. Buffers are row-linear: the last
    dimension lies along the 128 lanes and is padded to a multiple of them, all
    others enumerate rows. The contents of padding are unspecified, so every
    stage masks the padding that could affect its result.

    Scalars inside stage bodies are `stablehlo` operations on rank-0 tensors;
    address arithmetic is `arith` on `i32`; loops are `scf.for` on `i32`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // Layouts on operations, arguments and results (Layout.cpp).
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Kernel_Space : I32EnumAttr<"Space", "where a buffer is", [
    I32EnumAttrCase<"hbm", 0>, I32EnumAttrCase<"vmem", 1>, I32EnumAttrCase<"smem", 2>,
    I32EnumAttrCase<"flags", 3>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_BufferType : TypeDef<Kernel_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a row-linear buffer in one memory of the machine";
  let description = [{
    `!kernel.buffer<64x128xf32, vmem>`. In HBM and VMEM element (r, c) of the
    matrix of rows and last dimension is in logical row r * ceil(C / 128) + c / 128,
    lane c mod 128, of those that are not padding (dialects/Layout/RowLayout.h); in SMEM
    elements are words, dense and row-major. Rank 0 is one element. Elements of a buffer in `flags`,
    i32, are sync flags of the core, the semaphores of a kernel.

    In VMEM a buffer may be `replicated`: each element has a logical row of its own and is in all of
    its lanes, as a stage wants it that broadcasts it along them.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::systole::kernel::Space":$space, "bool":$replicated);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                   "::systole::kernel::Space":$space), [{
    return $_get($_ctxt, shape, elementType, space, /*replicated=*/false);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Length along the lanes: the last dimension, 1 for rank 0 and if replicated.
    int64_t getLaneCount() const {
      return getRank() && !getReplicated() ? getShape().back() : 1;
    }
    /// Groups of 128 lanes in one row, without padding.
    int64_t getLaneTiles() const { return (getLaneCount() + kLanes - 1) / kLanes; }
    /// Product of all dimensions but the last; of all if replicated.
    int64_t getRows() const;
    /// Padding of narrow elements between rows; none in SMEM.
    RowPadding getPadding() const;
    /// The same buffer with each element in all lanes of a row.
    BufferType replicate() const {
      return get(getContext(), getShape(), getElementType(), getSpace(), /*replicated=*/true);
    }
    /// Logical rows between neighbours along dimension `dim`, which is not the last unless replicated.
    int64_t getPitch(int64_t dim) const;
    /// Logical rows that dimension `dim` takes for each index of the dimensions outside of it: of
    /// the last one groups of lanes. Padding included.
    int64_t getRowExtent(int64_t dim) const;
    /// Logical rows of 128 elements, padding included.
    int64_t getLogicalRows() const { return getPadding().padded(getRows() * getLaneTiles()); }
    /// Those without padding behind the last row. Rounded up to eight, the memory has them: that of
    /// a view may end there.
    int64_t getOccupiedRows() const { return getPadding().occupied(getRows() * getLaneTiles()); }
    /// Whether the rows of both lie at the same places.
    bool hasRowsOf(BufferType other) const {
      int64_t rows = getRows() * getLaneTiles();
      return rows == other.getRows() * other.getLaneTiles() &&
             haveSamePlaces(rows, getPadding(), other.getPadding());
    }
    /// Rows of 512 bytes that the buffer takes, whole groups of eight logical rows.
    int64_t getPhysicalRows() const;
    /// Bits of an element in memory: i1 takes 8.
    unsigned getStorageBits() const;
  }];
}

def Kernel_Role : I32EnumAttr<"Role", "what a kernel does with an operand", [
    I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>, I32EnumAttrCase<"inout", 2>,
    I32EnumAttrCase<"stream", 3>, I32EnumAttrCase<"raw", 4>, I32EnumAttrCase<"prefetch", 5>]> {
  let cppNamespace = "::systole::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_OperandAttr : AttrDef<Kernel_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "the blocks of one HBM operand of a kernel";
  let description = [{
    `in`, `out`, `inout`: at grid point g the body sees the block of shape `block` that
    starts at element block[d] * map(g)[d] of each dimension d, in VMEM, copied in
    before and/or out after the body. Where the block changes over the grid, VMEM has
    `buffers` of it, 1 or 2: with two, the next one is copied while a step works on this one.
    `out` blocks must be visited in consecutive grid steps. The last blocks may
    extend past the end: elements there are neither read nor written in HBM. A block
    consists of whole rows of 512 bytes; the last dimension may be divided only at
    multiples of 128.
    With `stride` and `offset` an `in` block is a window: it starts at element stride[d]
    * map(g)[d] + offset[d], which may lie before the buffer's first element or after
    its last one. Blocks of a window may overlap, leave gaps, and extend past either
    end; elements there are not read, and unspecified in VMEM.
    With `row`, the number of one of the kernel's scalars, the buffer is a part of a larger one that
    begins at that row of 512 bytes of it.
    With `resident` the buffer is in VMEM, where other kernels see it, too: it begins that many rows of
    512 bytes before the end of what VMEM has for kernels, in blocks that lie one after the other in
    row-major order of their indices. The body sees the block where it is. With a buffer in HBM a
    step copies its block there; one in VMEM is there already, or written by the body.
    With `pieces` an `in` operand that is the same block in every step arrives in that many parts of
    equally many rows, one DMA each. Where the first stage that reads it is a product with one pass
    that has it on the left, the first step multiplies each part when it is there.
    With `prefetched` an `in` operand is in HBM, and VMEM has its blocks from so many rows of 512 bytes
    before the end on. The kernel before has loaded that of the first step there.
    `prefetch`: one block, which the body does not see: it is copied to VMEM, to where `resident` says,
    while the last steps run. It is the first block of an operand of the kernel behind.
    `stream`: the whole buffer is in SMEM before the body runs.
    `raw`: the body gets the HBM buffer itself, for copies with computed offsets.
  }];
  let parameters = (ins EnumParameter<Kernel_Role>:$role, ArrayRefParameter<"int64_t">:$block,
                        "::mlir::AffineMap":$map,
                        OptionalArrayRefParameter<"int64_t">:$stride,
                        OptionalArrayRefParameter<"int64_t">:$offset,
                        DefaultValuedParameter<"int64_t", "2">:$buffers,
                        DefaultValuedParameter<"int64_t", "-1">:$row,
                        DefaultValuedParameter<"int64_t", "-1">:$resident,
                        DefaultValuedParameter<"int64_t", "-1">:$prefetched,
                        DefaultValuedParameter<"int64_t", "1">:$pieces);
  let assemblyFormat = [{
    `<` $role `,` `block` `=` custom<Extents>($block) `,` `map` `=`
    custom<Blocks>($map, $stride, $offset, $buffers, $row, $resident, $prefetched, $pieces) `>`
  }];
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::systole::kernel::Role":$role,
      "::llvm::ArrayRef<int64_t>":$block, "::mlir::AffineMap":$map,
      CArg<"int64_t", "2">:$buffers, CArg<"int64_t", "-1">:$row, CArg<"int64_t", "-1">:$resident,
      CArg<"int64_t", "-1">:$prefetched, CArg<"int64_t", "1">:$pieces), [{
    return $_get($_ctxt, role, block, map, ::llvm::ArrayRef<int64_t>(),
                 ::llvm::ArrayRef<int64_t>(), buffers, row, resident, prefetched, pieces);
  }]>];
  let extraClassDeclaration = [{
    bool isWindow() const { return !getStride().empty(); }
    bool isPart() const { return getRow() >= 0; }
    bool isResident() const { return getResident() >= 0; }
    bool isPrefetched() const { return getPrefetched() >= 0; }
    /// Elements between the starts of consecutive blocks along dimension `d`.
    int64_t strideOf(int64_t d) const { return isWindow() ? getStride()[d] : getBlock()[d]; }
    int64_t offsetOf(int64_t d) const { return isWindow() ? getOffset()[d] : 0; }
  }];
}

def Kernel_LayoutAttr : AttrDef<Kernel_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "the layout of a tensor: the order of its dimensions";
  let description = [{
    `#kernel.layout<{0,1:T(1,128)}>`, in the notation of XLA: dimensions from minor to major,
    the tile, and with narrow elements how many share a cell, `(2,1)` or `(4,1)`. The first
    dimension lies along the lanes, all others enumerate rows, the last one outermost. With the
    tile T(2,64) two positions of the second dimension, of 64 elements each, share a row of 128
    lanes (docs/architecture.md, "Layouts in memory").

    `kernel.layouts` gives an operation's results their layouts, one for each; where it is
    absent they are row-major. `kernel.layout` on an argument or result of a function is that
    of its tensor; `kernel.entry_layout` is that of the tensor in the caller's order of
    dimensions, once the dimensions of the function's own type are in physical order, with full
    rows: with T(2,64) the type of f32[56,64] is f32[28,128].
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$minorToMajor, "int64_t":$packing,
                    "int64_t":$rowTile);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout of a tensor of `elementType` with its dimensions in `order`, from
    /// major to minor, and `rowTile` positions in each row.
    static LayoutAttr inOrder(::mlir::Type elementType, ::llvm::ArrayRef<int64_t> order,
                              int64_t rowTile = 1);
    /// The dimensions from major to minor.
    ::llvm::SmallVector<int64_t> getOrder() const;
    /// Elements of `elementType` that share a cell of 32 bits.
    static int64_t packingOf(::mlir::Type elementType);
    /// Whether a tensor of `type` can have this layout; emits an error if not.
    ::llvm::LogicalResult verifyFor(
        ::mlir::Type type, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
    /// The tensor whose dimensions in physical order, with full rows, are those of `physical`.
    ::mlir::RankedTensorType toLogical(::mlir::RankedTensorType physical) const;
  }];
}

def Kernel_HbmRegionAttr : AttrDef<Kernel_Dialect, "HbmRegion"> {
  let mnemonic = "hbm_region";
  let summary = "one entry of the module's `kernel.hbm_plan`";
  let description = [{
    `rows` rows of 512 bytes from row `base` of the core's HBM. Buffers that do not live at
    the same time may overlap.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$rows, "int64_t":$base);
  let assemblyFormat = "`<` $name `,` `rows` `=` $rows `,` `base` `=` $base `>`";
  let genVerifyDecl = 1;
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernels and the program around them
//===----------------------------------------------------------------------===//

def Kernel_FuncOp : Kernel_Op<"func", [Symbol, IsolatedFromAbove]> {
  let summary = "a kernel";
  let description = [{
    `operandTypes` are the buffers that callers pass, in HBM but for those that VMEM keeps, `operands`
    how each is divided into blocks. The body runs once per grid point, the last grid dimension fastest; its
    arguments are the grid indices (`i32`, one per grid dimension), then one buffer per
    operand: a VMEM block, a SMEM buffer for a stream, the HBM buffer for a raw operand;
    and then `scalars` values of type `i32` that callers pass. The last `reserved` rows of
    VMEM are kept for other kernels: this one uses none of them but for its operands, and
    `loading` copies may be on their way to them. `source`, `flops`, `bytes` and `kind` are for
    reports.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$operandTypes,
      TypedArrayAttrBase<Kernel_OperandAttr, "operands">:$operands,
      DenseI64ArrayAttr:$grid, OptionalAttr<StrAttr>:$source,
      DefaultValuedAttr<I64Attr, "0">:$flops, DefaultValuedAttr<I64Attr, "0">:$bytes,
      OptionalAttr<StrAttr>:$kind, DefaultValuedAttr<I64Attr, "0">:$scalars,
      DefaultValuedAttr<I64Attr, "0">:$reserved, DefaultValuedAttr<I64Attr, "0">:$loading);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_ReturnOp : Kernel_Op<"return", [Terminator, HasParent<"FuncOp">]> {
  let summary = "end of a kernel's body";
  let assemblyFormat = "attr-dict";
}

def Kernel_HbmOp : Kernel_Op<"hbm", [Pure]> {
  let summary = "a buffer of the program's static HBM plan";
  let description = [{
    `region` indexes the module's `kernel.hbm_plan`. With `kernel.uninitialized` the buffer holds an
    array from here on whose elements are unspecified, such as one that a loop fills part by part.
  }];
  let arguments = (ins I32Attr:$region);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$region attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_CallOp : Kernel_Op<"call", [AttrSizedOperandSegments,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel on buffers and sequencer scalars";
  let description = [{
    `step` is the call's position in program order, the time scale of live ranges in the HBM plan.
    `placements` says of each buffer which entry of the module's `kernel.vmem_plan` the kernel writes
    or reads it in, -1 for none. It is absent if none has any.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Kernel_BufferType>:$buffers,
                       Variadic<I32>:$scalars, OptionalAttr<StrAttr>:$source,
                       OptionalAttr<I64Attr>:$step, OptionalAttr<DenseI32ArrayAttr>:$placements);
  let assemblyFormat = [{
    $callee `(` $buffers `)` (`scalars` `(` $scalars^ `)`)? attr-dict (`:` type($buffers)^)?
  }];
  let extraClassDeclaration = [{
    /// Where VMEM has what the kernel reads or writes of a buffer; null for no place that other
    /// kernels know.
    PlacementAttr placementOf(size_t operand);
  }];
}

def Kernel_ReadScalarOp : Kernel_Op<"read_scalar"> {
  let summary = "a rank-0 HBM buffer as a sequencer scalar";
  let description = [{ i1 reads as 0 or 1, narrow integers are extended by their sign. }];
  let arguments = (ins Kernel_BufferType:$buffer);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_WriteScalarOp : Kernel_Op<"write_scalar"> {
  let summary = "store a sequencer scalar as a rank-0 HBM buffer";
  let description = [{ Of narrow integers the low bits are stored. }];
  let arguments = (ins I32:$value, Kernel_BufferType:$buffer);
  let assemblyFormat = "$value `to` $buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

def Kernel_AllocOp : Kernel_Op<"alloc"> {
  let summary = "a VMEM buffer that lives until its last use in the body, or a SMEM buffer";
  let description = [{
    A `persistent` buffer keeps its contents over all steps of the grid. Of several `buffers`, in VMEM,
    `kernel.slot` chooses one.
  }];
  let arguments = (ins UnitAttr:$persistent,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$buffers);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "(`persistent` $persistent^)? (`buffers` $buffers^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_LoadScalarOp : Kernel_Op<"load_scalar"> {
  let summary = "an element of a SMEM buffer";
  let arguments = (ins Kernel_BufferType:$buffer, Variadic<I32>:$indices);
  let results = (outs I32:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_MapOp : Kernel_Op<"map", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "an elementwise computation over the outputs' common shape";
  let description = [{
    For every index of the outputs' shape: input k is read at `maps[k]` of the index, the body
    computes on rank-0 tensors, its results are the elements of the outputs. A map's results are
    distinct dimensions, with a factor and an offset where windows slide over an input, or constants
    (broadcast); the last dimension, which lies along the lanes, can only be a map's last result,
    without factor and offset. An output may be an input's buffer when that input's map is the
    identity. The body may use `kernel.index` and captured `i32` values. Where the outputs are
    replicated, no dimension of their shape lies along the lanes.
  }];
  let arguments = (ins Variadic<Kernel_BufferType>:$inputs, Variadic<Kernel_BufferType>:$outputs,
                       AffineMapArrayAttr:$maps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` $outputs `:` type($outputs) `)`
    `maps` `=` $maps $body attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_ReduceOp : Kernel_Op<"reduce", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "an elementwise computation whose values are reduced over some dimensions";
  let description = [{
    The iteration space is `sizes`. Input k is read at `maps[k]` of the index and
    `body` computes as in `kernel.map`, one value per output; over the dimensions
    `dims` the values of each output are combined by `combiner` (first half of its arguments: accumulators,
    second half: values), starting from `inits` (rank-0 VMEM buffers). Outputs have the shape of
    the remaining dimensions in order; of a reduced last dimension they may be replicated. Without
    `inits` there are no initial values.

    Either the last dimension is reduced or others are, the rows; both only where the last one has at
    most 128 elements, and then the rows first. Rows are numbered in row-major order: those of equal
    number modulo `partials`, 8 or 128, are combined in ascending order, then the partial results at
    distances `partials` / 2 to 1. Of the last dimension it is elements of equal index modulo 128, in
    ascending order, then at distances 64 to 1; with 1024 as `partials`, where only this dimension
    has more than one element, it is those of equal index modulo 1024, then at distances 512 to 1.
    The initial value is combined last, as the first argument.

    Where values are combined in ascending order, a comparison in the combiner that carries
    `kernel.ascending` is taken to be true.
  }];
  let arguments = (ins Variadic<Kernel_BufferType>:$inputs, Variadic<Kernel_BufferType>:$inits,
                       Variadic<Kernel_BufferType>:$outputs, AffineMapArrayAttr:$maps,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<I64Attr, "8">:$partials);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `inits` `(` ($inits^ `:` type($inits))? `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    `sizes` `=` $sizes `dims` `=` $dims (`partials` `=` $partials^)? `maps` `=` $maps $body `combine` $combiner attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator,
                                         ParentOneOf<["MapOp", "ReduceOp", "ElementwiseOp",
                                                      "ColumnSortOp", "SortOp"]>]> {
  let summary = "results of one element of a map, a reduce or elementwise operations, or of a comparator";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Kernel_IndexOp : Kernel_Op<"index", [Pure, ParentOneOf<["MapOp", "ReduceOp"]>]> {
  let summary = "the index along one dimension of the iteration space";
  let arguments = (ins I64Attr:$dim);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_ScalarOp : Kernel_Op<"scalar", [Pure, ParentOneOf<["MapOp", "ReduceOp"]>]> {
  let summary = "a captured scalar as an element";
  let description = [{ The result is a rank-0 tensor of 32-bit integers. }];
  let arguments = (ins I32:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_CopyOp : Kernel_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "move elements: destination[dstMap(i) + dstOffsets] = source[srcMap(i) + srcOffsets]";
  let description = [{
    For every index i of the space `sizes`. The maps are affine with constant
    coefficients; offsets are one `i32` per dimension of the buffer, or none. Slices,
    padding (around and between), concatenation, reshaping, transposition, reversal and
    windows at dynamic offsets are all this operation with different maps. Destination
    elements that no index reaches keep their value; no destination element is reached
    twice. Source and destination are different buffers. Element types are equal. One
    side may be a raw HBM buffer when whole rows of 512 bytes move: a box of the buffer
    that provably starts at such a row, also where narrow elements pack several logical
    rows into one. From HBM to SMEM go consecutive elements, which fill the
    destination.
  }];
  let arguments = (ins Kernel_BufferType:$source, Kernel_BufferType:$destination,
      Variadic<I32>:$srcOffsets, Variadic<I32>:$dstOffsets,
      DenseI64ArrayAttr:$sizes, AffineMapAttr:$srcMap, AffineMapAttr:$dstMap);
  let assemblyFormat = [{
    $source (`at` `[` $srcOffsets^ `]`)? `to` $destination (`at` `[` $dstOffsets^ `]`)?
    `sizes` `=` $sizes `from` $srcMap `into` $dstMap attr-dict
    `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Kernel_OverlapOp : Kernel_Op<"overlap", [NoTerminator, SingleBlock]> {
  let summary = "copies from and to HBM that overlap in time";
  let description = [{
    Copies with a raw HBM buffer in the body, in loops too, complete before the operation ends, not
    before the next operation of the body, which must not access their source or destination.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Kernel_DotOp : Kernel_Op<"dot"> {
  let summary = "batched matrix product";
  let description = [{
    lhs [batch..., M, K]; rhs [batch..., K, N], or [batch..., N, K] with `rhsTransposed`;
    out [batch..., M, N]. Floating-point inputs (f32, bf16, f16) give f32, integers (of at
    most 32 bits) i32. `precision` is the number of bf16 passes for f32 inputs: 1, 3 or 6;
    narrower inputs are exact in one (f16: as f32). Products are summed by the MXU per
    128-deep block of K, blocks are added in ascending order; with several passes each
    pass's product is summed over K in that way and the passes are added from the smallest
    parts to the largest, of a product that is `exchanged` (its operands are the right and the left
    one of the program) in the order of the program's. With `accumulate` the previous contents of `out` come first in the
    sum.

    With `rounded to` the named buffer receives the sums rounded to bf16 or f16, and
    the contents of `out` are undefined afterwards: sums of a single step are never
    stored to it. Only for products of one pass (bf16, and f32 with `precision` 1).
  }];
  let arguments = (ins Kernel_BufferType:$lhs, Kernel_BufferType:$rhs, Kernel_BufferType:$out,
                       Optional<Kernel_BufferType>:$rounded,
                       UnitAttr:$rhsTransposed, UnitAttr:$accumulate, UnitAttr:$exchanged,
                       DefaultValuedAttr<I32Attr, "1">:$precision);
  let assemblyFormat = [{
    $lhs `,` $rhs `into` $out (`rounded` `to` $rounded^)?
    (`rhs_transposed` $rhsTransposed^)? (`accumulate` $accumulate^)?
    attr-dict `:` type($lhs) `,` type($rhs) `,` type($out) (`,` type($rounded)^)?
  }];
  let hasVerifier = 1;
}

def Kernel_ContractOp : Kernel_Op<"contract"> {
  let summary = "sums of products over linear indices";
  let description = [{
    out[outMap(i)] = sum of lhs[lhsMap(i)] * rhs[rhsMap(i)] over the indices i of the space `sizes`
    that outMap does not depend on: a product whose operands are read in windows, such as a
    convolution. Maps are linear; along the lanes coefficients are at least 0, and nothing is added
    to them.

    - The last result of lhsMap is k, a dimension that outMap does not have, of the first elements of
      lhs along its lanes; the last result of outMap is n, a dimension that lhsMap does not have. One
      of them is rhsMap's last result, the other an index of its other results. k may also be several
      dimensions with the extent of lhs, if these enumerate at most 128 elements: each counts whole
      groups of eight of the next, of which the last is d; elements of lhs between these groups must
      be finite.
    - Results of outMap are distinct dimensions, each times a positive factor and plus a constant;
      n has the extent of out along its lanes. Other elements of out keep what they have.

    Of operands of up to 128 lanes, `lhsLanes` = [begin, end] leaves elements of lhs in lanes below begin, or
    from end on, out of all sums, and `outLanes` results there, which keep what they have.

    Element types, `precision`, `accumulate` and `rounded` are as in `kernel.dot`. Sums are those of
    `kernel.dot` per 128-deep block of k; full blocks come first, for each index of the other summed
    dimensions in their order, then the block that is not full in the same way.
  }];
  let arguments = (ins Kernel_BufferType:$lhs, Kernel_BufferType:$rhs, Kernel_BufferType:$out,
                       Optional<Kernel_BufferType>:$rounded, DenseI64ArrayAttr:$sizes,
                       AffineMapAttr:$lhsMap, AffineMapAttr:$rhsMap, AffineMapAttr:$outMap,
                       UnitAttr:$accumulate, DefaultValuedAttr<I32Attr, "1">:$precision,
                       OptionalAttr<DenseI64ArrayAttr>:$lhsLanes,
                       OptionalAttr<DenseI64ArrayAttr>:$outLanes);
  let builders = [OpBuilder<(ins "mlir::Value":$lhs, "mlir::Value":$rhs, "mlir::Value":$out,
                             "mlir::Value":$rounded, "llvm::ArrayRef<int64_t>":$sizes,
                             "mlir::AffineMap":$lhsMap, "mlir::AffineMap":$rhsMap,
                             "mlir::AffineMap":$outMap, "bool":$accumulate, "int":$precision), [{
    build($_builder, $_state, lhs, rhs, out, rounded, sizes, lhsMap, rhsMap, outMap, accumulate,
          precision, /*lhsLanes=*/mlir::DenseI64ArrayAttr(), /*outLanes=*/mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = [{
    $lhs `,` $rhs `into` $out (`rounded` `to` $rounded^)? (`accumulate` $accumulate^)?
    `sizes` `=` $sizes `lhs` $lhsMap `rhs` $rhsMap `out` $outMap
    attr-dict `:` type($lhs) `,` type($rhs) `,` type($out) (`,` type($rounded)^)?
  }];
  let hasVerifier = 1;
}

include "dialects/Kernel/Order.td"
include "dialects/Kernel/Plan.td"
include "dialects/Kernel/Placement.td"
include "dialects/Kernel/Fusion.td"
include "dialects/Kernel/Sort.td"
include "dialects/Kernel/Lookup.td"
include "dialects/Kernel/Resident.td"
include "dialects/Kernel/Transfers.td"
include "dialects/Kernel/HostArrays.td"
include "dialects/Kernel/AsyncCopies.td"
include "dialects/Kernel/Exchange.td"
include "dialects/Kernel/Mosaic.td"

#endif // SYSTOLE_DIALECTS_KERNEL_KERNEL_TD
