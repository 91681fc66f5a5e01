// Errors of the compiler: their locations and categories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_DIAGNOSTICS_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace systole {

/// "file.py:12:3" of the innermost known source line of a location, or "".
std::string sourceLine(mlir::Location loc);

/// The innermost line outside of installed packages and the language's standard library; "" if
/// there is none.
std::string userLine(mlir::Location loc);

/// The framework's name stack of an operation: "jit(step)/ResNet50/stem/conv_general_dilated", or
/// "". It is the outermost name of a location; names in call sites are further in.
std::string nameStack(mlir::Location loc);

/// The location of an operation of a function at `callee` that was inlined at `caller`: both source
/// lines, and the callee's name stack below the caller's.
mlir::Location inlinedLocation(mlir::Location callee, mlir::Location caller);

/// Emits an error of category Unimplemented.
mlir::InFlightDiagnostic emitUnimplemented(mlir::Location loc);
/// Marks an error as Unimplemented.
mlir::InFlightDiagnostic &markUnimplemented(mlir::InFlightDiagnostic &diagnostic);
mlir::InFlightDiagnostic &&markUnimplemented(mlir::InFlightDiagnostic &&diagnostic);
/// Emits an error of category Unimplemented at the source line of `op`. Producers omit lines in
/// functions that they call more than once; then it is the line of the function or of a call.
mlir::InFlightDiagnostic emitUnimplemented(mlir::Operation *op);
/// Emits an error of category ResourceExhausted: a memory of the machine is too small.
mlir::InFlightDiagnostic emitResourceExhausted(mlir::Location loc);
/// The same at the source line of `op`, as emitUnimplemented() has it.
mlir::InFlightDiagnostic emitResourceExhausted(mlir::Operation *op);

/// Emits an error of category Internal: a verifier has found a fault of the compiler.
mlir::InFlightDiagnostic emitInternal(mlir::Location loc);

/// The cause of an error, as a status code; InvalidInput unless it is marked otherwise.
enum class ErrorCategory { InvalidInput, Unimplemented, ResourceExhausted, Internal };
ErrorCategory categoryOf(mlir::Diagnostic &diagnostic);

/// Whether it is the error of an operation's verifier, or looks like one: "'kernel.map' op
/// expects".
bool isOperationError(mlir::Diagnostic &diagnostic);

/// Emits an error that an operation is not supported (`where`, if not everywhere), with its types.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op, const llvm::Twine &where = "");
/// The same for an operation that is encoded, with the name and types that it has in StableHLO.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op, llvm::StringRef name,
                                         mlir::TypeRange operands, mlir::TypeRange results,
                                         mlir::Attribute callTarget, const llvm::Twine &where = "");

/// The attribute of custom calls that names their target.
inline constexpr llvm::StringLiteral kCallTarget = "call_target_name";

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_DIAGNOSTICS_H
