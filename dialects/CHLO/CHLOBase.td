// The CHLO dialect's definition, its type constraints and base classes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_BASE_TD
#define SYSTOLE_DIALECTS_CHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/StableHLO/StableHLOBase.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::systole::chlo";
  let summary = "Special functions and implicit broadcasts, mixed with StableHLO by producers";
  let description = [{
    Operations that frameworks mix into StableHLO programs, in the textual syntax
    that JAX writes: special functions, and arithmetic that broadcasts its
    operands. None of them has a lowering: the compiler replaces each by
    StableHLO operations.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// The operations of each family, registered where they are defined.
    void registerUnaryOps();
    void registerBinaryOps();
    void registerBroadcastOps();
    void registerComposedOps();
    void registerCreationOps();
    void registerOrderingOps();
    /// The attributes, registered beside their definitions.
    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations, written `#chlo<comparison_direction LT>`
//===----------------------------------------------------------------------===//

class CHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::systole::chlo";
}

def CHLO_ComparisonDirection : CHLO_Enum<"ComparisonDirection",
    "The relation that a comparison tests",
    [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
     I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
     I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : EnumAttr<CHLO_Dialect, CHLO_ComparisonDirection, "comparison_direction">;

def CHLO_ComparisonType : CHLO_Enum<"ComparisonType",
    "The order on the elements that a comparison uses",
    [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
     I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
     I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr
    : EnumAttr<CHLO_Dialect, CHLO_ComparisonType, "comparison_type">;

def CHLO_Precision : CHLO_Enum<"Precision",
    "How much precision a contraction may give up on one operand",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
     I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : EnumAttr<CHLO_Dialect, CHLO_Precision, "precision">;
def CHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<CHLO_PrecisionAttr, "array of `precision` attributes">;

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

def CHLO_RaggedDotDimensionNumbersAttr
    : AttrDef<CHLO_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "The dimensions that a ragged contraction pairs and divides";
  let description = [{
    As `#stablehlo.dot`, with the dimension of the left operand that is divided into groups, and the
    dimension of the right one that counts them.

    Syntax: `#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "kept dimensions of the left operand">:$lhsBatchingDimensions,
    ArrayRefParameter<"int64_t", "their counterparts on the right">:$rhsBatchingDimensions,
    ArrayRefParameter<"int64_t", "summed dimensions of the left operand">:$lhsContractingDimensions,
    ArrayRefParameter<"int64_t", "their counterparts on the right">:$rhsContractingDimensions,
    ArrayRefParameter<"int64_t", "divided dimensions of the left operand">:$lhsRaggedDimensions,
    ArrayRefParameter<"int64_t", "groups of the right operand">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// The base of every operation: the documentation is a description and an
// example that the tests parse.
class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<CHLO_Dialect, mnemonic, traits # [Pure]> {
  // The operation's result, then the constraints.
  string semantics = "";
  // Whole functions, indented by four spaces.
  string example = "";
  let description = semantics # "\n    Example:\n\n    ```mlir" # example # "  ```\n";
}

#endif // SYSTOLE_DIALECTS_CHLO_BASE_TD
