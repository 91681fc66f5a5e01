// The StableHLO dialect's definition, its type constraints and base classes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_BASE_TD
#define SYSTOLE_DIALECTS_STABLEHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/StableHLO/OpKind.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::systole::stablehlo";
  let summary = "Tensor programs as machine-learning frameworks export them";
  let description = [{
    The input language of the compiler: functional operations on ranked
    tensors, in the textual syntax that JAX and the other producers of
    StableHLO write. Types, attributes and operations have the public names and
    syntax, so programs can be exchanged with any other tool that reads
    StableHLO.

    The dialect defines well-formed programs only: it neither folds nor
    rewrites operations.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  // Its parser is written, since an attribute has two names.
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    /// The operations of each family, registered where they are defined.
    void registerCreationOps();
    void registerUnaryOps();
    void registerBinaryOps();
    void registerSelectionOps();
    void registerDataMovementOps();
    void registerIndexingOps();
    void registerReductionOps();
    void registerCollectiveOps();
    void registerContractionOps();
    void registerConvolutionOps();
    void registerControlFlowOps();
    void registerWindowOps();
    void registerSortingOps();
    void registerBatchNormOps();
    void registerRandomOps();
    void registerLinearAlgebraOps();
    void registerSpectraOps();
    void registerTransferOps();
    void registerDynamicOps();
    void registerGroupingOps();
    void registerSupersededOps();
    /// The attributes, registered beside their parsers.
    void registerAttributes();
    /// The types, registered beside the operations that order effects.
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

def StableHLO_Pred : TypeAlias<I1, "i1">;
// A signless integer of more than one bit is a signed number here.
def StableHLO_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_Int : AnyTypeOf<[StableHLO_SInt, StableHLO_UInt],
                              "2/4/8/16/32/64-bit integer">;
def StableHLO_Float : AnyTypeOf<
    [F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ,
     F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, BF16, F16, F32, F64],
    "4/6/8/16/32/64-bit float">;
def StableHLO_Complex : Complex<AnyTypeOf<[F32, F64]>>;
// An element type that quantizes numbers: integers of a quantized type with one scale, or with one
// for each index of a dimension. Zero points are among what is stored, whose sign is no part of its
// type.
class StableHLO_QuantizedOf<string type, string zeros, string summary> : Type<
    CPred<"[](::mlir::Type type) {"
          "  auto quantized = ::llvm::dyn_cast<::mlir::quant::" # type # ">(type);"
          "  return quantized && !quantized.getStorageType().isSignedInteger() &&"
          "         ::llvm::all_of(" # zeros # ", [&](int64_t zero) {"
          "           return zero >= quantized.getStorageTypeMin() &&"
          "                  zero <= quantized.getStorageTypeMax();"
          "         });"
          "}($_self)">,
    summary>;
def StableHLO_Quantized : StableHLO_QuantizedOf<
    "UniformQuantizedType", "::std::array<int64_t, 1>{quantized.getZeroPoint()}",
    "uniform quantized type of one scale">;
def StableHLO_PerAxisQuantized : StableHLO_QuantizedOf<
    "UniformQuantizedPerAxisType", "quantized.getZeroPoints()",
    "uniform quantized type of a scale for each index of a dimension">;

//===----------------------------------------------------------------------===//
// Tensors of those
//===----------------------------------------------------------------------===//

def StableHLO_Tensor : RankedTensorOf<
    [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex, StableHLO_Quantized]>;
// Of what has a scale for each index, the dimension has as many.
def StableHLO_HasScales : CPred<
    "[](::mlir::RankedTensorType tensor) {"
    "  auto quantized = ::llvm::dyn_cast<::mlir::quant::UniformQuantizedPerAxisType>("
    "      tensor.getElementType());"
    "  int64_t dim = quantized ? quantized.getQuantizedDimension() : 0;"
    "  return !quantized || (dim >= 0 && dim < tensor.getRank() &&"
    "         (tensor.isDynamicDim(dim) ||"
    "          tensor.getDimSize(dim) == int64_t(quantized.getScales().size())));"
    "}(::llvm::cast<::mlir::RankedTensorType>($_self))">;
def StableHLO_PerAxisTensor : RankedTensorOf<
    [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex, StableHLO_Quantized,
     StableHLO_PerAxisQuantized],
    [StableHLO_HasScales]>;
def StableHLO_StaticTensor : StaticShapeTensorOf<
    [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex, StableHLO_Quantized,
     StableHLO_PerAxisQuantized]>;
// Dynamic dimensions have a largest size.
def StableHLO_BoundedTensor : Type<
    And<[StableHLO_PerAxisTensor.predicate,
         CPred<"::systole::stablehlo::isStaticOrBounded($_self)">]>,
    !strconcat("statically shaped or bounded ", StableHLO_PerAxisTensor.summary),
    "::mlir::RankedTensorType">;
def StableHLO_Scalar : 0DTensorOf<
    [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_PredTensor : RankedTensorOf<[StableHLO_Pred]>;
def StableHLO_PredScalar : 0DTensorOf<[StableHLO_Pred]>;
def StableHLO_IntTensor : RankedTensorOf<[StableHLO_Int]>;
def StableHLO_IntScalar : 0DTensorOf<[StableHLO_Int]>;
def StableHLO_I32Scalar : 0DTensorOf<[I32]>;
def StableHLO_PredOrIntTensor : RankedTensorOf<[StableHLO_Pred, StableHLO_Int]>;
def StableHLO_FloatTensor : RankedTensorOf<[StableHLO_Float, StableHLO_Quantized]>;
def StableHLO_QuantizedTensor
    : RankedTensorOf<[StableHLO_Quantized, StableHLO_PerAxisQuantized], [StableHLO_HasScales]>;
def StableHLO_FloatOrQuantizedTensor
    : RankedTensorOf<[StableHLO_Float, StableHLO_Quantized, StableHLO_PerAxisQuantized],
                     [StableHLO_HasScales]>;
def StableHLO_DequantizedTensor : RankedTensorOf<[StableHLO_Float]>;
def StableHLO_FloatOrComplexTensor
    : RankedTensorOf<[StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_ComplexTensor : RankedTensorOf<[StableHLO_Complex]>;
def StableHLO_RealPartTensor : RankedTensorOf<[F32, F64]>;
def StableHLO_NumberTensor
    : RankedTensorOf<[StableHLO_Int, StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_SignedTensor
    : RankedTensorOf<[StableHLO_SInt, StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_RealSignedTensor
    : RankedTensorOf<[StableHLO_SInt, StableHLO_Float, StableHLO_Quantized]>;
def StableHLO_StaticNumberTensor
    : StaticShapeTensorOf<
          [StableHLO_Int, StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def StableHLO_Token : TypeDef<StableHLO_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "the completion of an effect";
  let description = [{
    A value without data. An effect that takes a token happens after the effect that produced it.
  }];
}
def StableHLO_Future : TypeDef<StableHLO_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "values that are being computed";
  let description = [{
    The results of an asynchronous computation.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_TensorOrToken : AnyTypeOf<[StableHLO_PerAxisTensor, StableHLO_Token]>;
def StableHLO_BarrierValue : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;

// A value that is opaque to all but its custom call.
def StableHLO_AnyTensor : TensorOf<
    [StableHLO_Float, StableHLO_Pred, StableHLO_Int, StableHLO_Complex, StableHLO_Quantized,
     StableHLO_PerAxisQuantized]>;
def StableHLO_CustomCallValue : AnyTypeOf<
    [StableHLO_AnyTensor, StableHLO_Token, StableHLO_Future,
     NestedTupleOf<[StableHLO_AnyTensor, StableHLO_Token]>],
    "tensor, token, future or tuple of tensors and tokens">;

//===----------------------------------------------------------------------===//
// Traits (dialects/StableHLO/Traits.h)
//===----------------------------------------------------------------------===//

class StableHLO_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::systole::stablehlo::OpTrait";
}

// Every operand and every result has the same element type and a compatible
// shape. The diagnostic of MLIR's own trait does not name the types that differ.
def StableHLO_SameType : StableHLO_Trait<"SameType">;
// Every operand and every result has the same element type.
def StableHLO_SameElementType : StableHLO_Trait<"SameElementType">;
// Every operand and every result has a compatible shape.
def StableHLO_SameShape : StableHLO_Trait<"SameShape">;
// Operand i has the type of result i.
def StableHLO_PairwiseSameType : StableHLO_Trait<"PairwiseSameType">;
// The one result has the type that InferTypeOpInterface infers.
def StableHLO_InferredType : StableHLO_Trait<"InferredType">;
// The two operands may be swapped. MLIR's IsCommutative also folds, and
// this dialect leaves all rewriting to the compiler.
def StableHLO_Commutative : StableHLO_Trait<"Commutative">;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Disables MLIR's own check of inferred types, which adds an uninformative
// second diagnostic to each; InferredType checks instead.
defvar StableHLO_LeaveTypesToTrait = [{
    static ::llvm::LogicalResult refineReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
        ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
}];

// The base of every operation: the documentation is a description and an
// example that the tests parse.
class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits> {
  // The operation's result, then the constraints.
  string semantics = "";
  // Whole functions, indented by four spaces.
  string example = "";
  let description = semantics # "\n    Example:\n\n    ```mlir" # example #
                    "  ```\n";

  let extraClassDeclaration = StableHLO_LeaveTypesToTrait;
}

// An operation whose result types follow from its operands and attributes. The
// op's C++ `inferReturnTypes(context, location, adaptor, types)` also rejects
// invalid operands and attributes; the trait compares with the declared types.
class StableHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic,
                   [InferTypeOpAdaptor, StableHLO_InferredType] # traits>;

#endif // SYSTOLE_DIALECTS_STABLEHLO_BASE_TD
