// The StableHLO dialect: its operations, attributes and traits.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_STABLEHLO_H
#define SYSTOLE_DIALECTS_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/OpKind.h"
#include "dialects/StableHLO/Traits.h"
#include "dialects/StableHLO/Window.h"

#include "dialects/StableHLO/StableHLODialect.h.inc"

#include "dialects/StableHLO/StableHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.h.inc"

namespace systole::stablehlo {
/// The precision that `config` has for an operand; DEFAULT if it is null.
Precision precisionOf(mlir::ArrayAttr config, unsigned operand);
/// The `api_version` of custom calls whose configuration is a dictionary.
inline constexpr uint32_t kTypedApiVersion = 4;
} // namespace systole::stablehlo

#define GET_OP_CLASSES
#include "dialects/StableHLO/BatchNorm.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Binary.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Contraction.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/ControlFlow.h.inc"
// After the operation that ends the regions of reductions.
#define GET_OP_CLASSES
#include "dialects/StableHLO/Collectives.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Convolution.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Creation.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/DataMovement.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Indexing.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/LinearAlgebra.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Random.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Reduction.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Selection.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Sorting.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Spectra.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Transfers.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Unary.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/Windows.h.inc"

#endif // SYSTOLE_DIALECTS_STABLEHLO_STABLEHLO_H
