// HLO shapes as tensor types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_TYPES_H
#define SYSTOLE_COMPILER_IMPORT_HLO_TYPES_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace systole::hlo {

// The element types that have a special meaning to the reader.
enum Primitive : int32_t { kPred = 1, kS32 = 4, kU32 = 8, kTuple = 13, kToken = 17 };

/// The number of the element type that HLO text calls `name`.
std::optional<int32_t> primitiveNamed(llvm::StringRef name);

/// The element type of an array; null if MLIR has none, or it is narrower than a byte.
mlir::Type elementType(int32_t primitive, mlir::MLIRContext *context);

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Appends the types of a shape's arrays in order: tuples are flattened, tokens are omitted.
mlir::LogicalResult appendLeaves(const ShapeProto &shape, mlir::MLIRContext *context,
                                 llvm::SmallVectorImpl<mlir::Type> &leaves, EmitError emitError);

/// The number of types that appendLeaves appends.
unsigned countLeaves(const ShapeProto &shape);

/// The dimensions of an array from major to minor; nothing if its layout is not a permutation of
/// them. An array without a layout is row-major.
std::optional<llvm::SmallVector<int64_t>> majorToMinor(const ShapeProto &array);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TYPES_H
