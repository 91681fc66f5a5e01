//===- Mosaic.td - Kernels of Pallas in Mosaic's form ------*- tablegen -*-===//
//
// The `tpu` dialect: types, attributes and the operations of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_MOSAIC_TD
#define SYSTOLE_DIALECTS_MOSAIC_MOSAIC_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mosaic_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::systole::tpu";
  let summary = "What Mosaic has beyond MLIR's own dialects: kernels that Pallas writes for one TensorCore";
  let description = [{
    Bodies of `stablehlo.custom_call @tpu_custom_call` are modules of `arith`, `math`, `scf`, `cf`, `func`,
    `memref`, `vector` and this dialect. Names, operands and attributes of its operations, and the text of
    its types and attributes, are those of the serialized form (compiler/Import/Mosaic). Operations for a
    SparseCore are not part of it.

    Values are vectors of any shape, whose tiles and registers the compiler chooses, and memrefs with a
    memory space.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Mosaic_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Mosaic_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

class Mosaic_Enum<string name, string description, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, description, cases> {
  let cppNamespace = "::systole::tpu";
  let genSpecializedAttr = 0;
}

class Mosaic_EnumAttr<Mosaic_Enum kind, string mnemonic>
    : EnumAttr<Mosaic_Dialect, kind, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Mosaic_CoreType : Mosaic_Enum<"CoreType", "the core that runs a function", [
    I32EnumAttrCase<"tc", 0>, I32EnumAttrCase<"sc_scalar_subcore", 1>,
    I32EnumAttrCase<"sc_vector_subcore", 2>]>;
def Mosaic_CoreTypeAttr : Mosaic_EnumAttr<Mosaic_CoreType, "core_type">;

def Mosaic_PipelineMode : Mosaic_Enum<"PipelineMode", "how many blocks of an operand VMEM has", [
    I32EnumAttrCase<"synchronous", 1>, I32EnumAttrCase<"double_buffered", 2>]>;
def Mosaic_PipelineModeAttr : Mosaic_EnumAttr<Mosaic_PipelineMode, "pipeline_mode">;

def Mosaic_RevisitMode
    : Mosaic_Enum<"RevisitMode", "which steps of the grid see the same block of a result", [
    I32EnumAttrCase<"immediate", 0>, I32EnumAttrCase<"any", 1>]>;
def Mosaic_RevisitModeAttr : Mosaic_EnumAttr<Mosaic_RevisitMode, "revisit_mode">;

def Mosaic_DimensionSemantics
    : Mosaic_Enum<"DimensionSemantics", "how steps along a dimension of the grid depend on each other", [
    I32EnumAttrCase<"parallel", 0>, I32EnumAttrCase<"arbitrary", 1>,
    I32EnumAttrCase<"core_parallel", 2>, I32EnumAttrCase<"subcore_parallel", 3>]>;
def Mosaic_DimensionSemanticsAttr
    : Mosaic_EnumAttr<Mosaic_DimensionSemantics, "dimension_semantics">;

def Mosaic_ContractPrecision
    : Mosaic_Enum<"ContractPrecision", "the precision of operands of a product", [
    I32EnumAttrCase<"bf16", 0>, I32EnumAttrCase<"fp32", 1>]>;
def Mosaic_ContractPrecisionAttr
    : Mosaic_EnumAttr<Mosaic_ContractPrecision, "contract_precision">;

def Mosaic_PackFormat : Mosaic_Enum<"PackFormat", "which narrow elements share a word", [
    I32EnumAttrCase<"compressed", 0>, I32EnumAttrCase<"interleaved", 1>]>;
def Mosaic_PackFormatAttr : Mosaic_EnumAttr<Mosaic_PackFormat, "pack_format">;

def Mosaic_RoundingMode : Mosaic_Enum<"RoundingMode", "how a conversion rounds", [
    I32EnumAttrCase<"towards_zero", 0>, I32EnumAttrCase<"to_nearest_even", 1>]>;
def Mosaic_RoundingModeAttr : Mosaic_EnumAttr<Mosaic_RoundingMode, "rounding_mode">;

def Mosaic_ReductionKind : Mosaic_Enum<"ReductionKind", "the function of a reduction", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>,
    I32EnumAttrCase<"arg_max", 3>, I32EnumAttrCase<"arg_min", 4>,
    I32EnumAttrCase<"find_first_set", 5>]>;
def Mosaic_ReductionKindAttr : Mosaic_EnumAttr<Mosaic_ReductionKind, "reduction_kind">;

def Mosaic_MemorySpace : Mosaic_Enum<"MemorySpace", "where a memref is", [
    I32EnumAttrCase<"vmem", 0>, I32EnumAttrCase<"smem", 1>, I32EnumAttrCase<"hbm", 2>,
    I32EnumAttrCase<"cmem", 3>, I32EnumAttrCase<"semaphore_mem", 4>,
    I32EnumAttrCase<"vmem_shared", 5>, I32EnumAttrCase<"host", 6>, I32EnumAttrCase<"any", 7>]>;

def Mosaic_MemorySpaceAttr : Mosaic_Attr<"MemorySpace", "memory_space"> {
  let summary = "the memory space of a memref, and whose it is if it is another kind of core's";
  let parameters = (ins EnumParameter<Mosaic_MemorySpace>:$value,
                        OptionalParameter<"::std::optional<::systole::tpu::CoreType>">:$coreType);
  let assemblyFormat = "`<` $value (`,` $coreType^)? `>`";
}

def Mosaic_ElementWindowAttr : Mosaic_Attr<"ElementWindow", "element_window"> {
  let summary = "blocks that start at any element";
  let description = [{
    The index map of an operand gives the first element of a block, not the number of the block. The array
    is extended by `pad_low` elements before the first one of each dimension and `pad_high` after the last.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$padLow, ArrayRefParameter<"int64_t">:$padHigh);
  let assemblyFormat = "`<` custom<Extents>($padLow) `,` custom<Extents>($padHigh) `>`";
}

def Mosaic_DotDimensionNumbersAttr : Mosaic_Attr<"DotDimensionNumbers", "dot_dimension_numbers"> {
  let summary = "the dimensions of a product";
  let description = [{
    Contracting dimensions of both operands, then dimensions that only one of them has, the order of the
    result's, and batch dimensions. `output_dim_order` has a pair for each dimension of the result: 0 for
    a dimension of the left operand, 1 for one of the right, and its number there.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsContracting,
                        ArrayRefParameter<"int64_t">:$rhsContracting,
                        ArrayRefParameter<"int64_t">:$lhsOther,
                        ArrayRefParameter<"int64_t">:$rhsOther,
                        ArrayRefParameter<"int64_t">:$outputOrder,
                        ArrayRefParameter<"int64_t">:$lhsBatch,
                        ArrayRefParameter<"int64_t">:$rhsBatch);
  let assemblyFormat = [{
    `<` custom<Extents>($lhsContracting) `,` custom<Extents>($rhsContracting) `,`
    custom<Extents>($lhsOther) `,` custom<Extents>($rhsOther) `,` custom<Extents>($outputOrder) `,`
    custom<Extents>($lhsBatch) `,` custom<Extents>($rhsBatch) `>`
  }];
}

def Mosaic_TiledLayoutAttr : Mosaic_Attr<"TiledLayout", "tiled",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout"]>]> {
  let summary = "the tiles of a memref, in its memory";
  let description = [{
    `#tpu.tiled<(8,128)(2,1),[4,1]>`: tiles from the outermost level inwards, each of the trailing
    dimensions, and for each dimension of the memref how many tiles (elements, without a tile) lie between
    neighbours along it. It does not change which element an index names.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles,
                        ArrayRefParameter<"int64_t">:$tileStrides);
  let assemblyFormat = "`<` custom<Tiles>($tiles) `,` custom<Extents>($tileStrides) `>`";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Mosaic_Type<string name, string mnemonic_, list<Trait> traits = []>
    : TypeDef<Mosaic_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def Mosaic_SemaphoreType : Mosaic_Type<"Semaphore", "semaphore", [MemRefElementTypeInterface]> {
  let summary = "a counter that cores signal and wait for";
}
def Mosaic_DmaSemaphoreType
    : Mosaic_Type<"DmaSemaphore", "dma_semaphore", [MemRefElementTypeInterface]> {
  let summary = "a counter of what DMAs have transferred";
}
def Mosaic_AnySemaphoreType : AnyTypeOf<[Mosaic_SemaphoreType, Mosaic_DmaSemaphoreType]>;

def Mosaic_Float8EXMYType : Mosaic_Type<"Float8EXMY", "float8_exmy",
    [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "a float of at most 8 bits, in the low bits of a byte";
  let parameters = (ins "::mlir::FloatType":$underlyingType);
  let assemblyFormat = "`<` $underlyingType `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Mosaic_Op<string mnemonic, list<Trait> traits = []>
    : Op<Mosaic_Dialect, mnemonic, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Mosaic_Write : MemoryEffects<[MemWrite<DefaultResource>]>;
def Mosaic_Read : MemoryEffects<[MemRead<DefaultResource>]>;
/// Vectors are not of rank 0.
defvar Mosaic_Vector = AnyVectorOfNonZeroRank;
defvar Mosaic_Mask = VectorOfNonZeroRankOf<[I1]>;
defvar Mosaic_IntegerVector = VectorOfNonZeroRankOf<[AnyInteger]>;
defvar Mosaic_WordVector = VectorOfNonZeroRankOf<[F32, AnyInteger]>;

include "dialects/Mosaic/Accesses.td"
include "dialects/Mosaic/Control.td"
include "dialects/Mosaic/Conversions.td"
include "dialects/Mosaic/MemRefs.td"
include "dialects/Mosaic/Packing.td"
include "dialects/Mosaic/Products.td"
include "dialects/Mosaic/Reductions.td"
include "dialects/Mosaic/Shapes.td"
include "dialects/Mosaic/Transfers.td"

#endif // SYSTOLE_DIALECTS_MOSAIC_MOSAIC_TD
