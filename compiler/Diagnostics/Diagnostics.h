// What the compiler's errors have in common: where, about what, and whose fault.
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

/// The innermost line outside of installed packages and of the language's library; "" if all are
/// inside.
std::string userLine(mlir::Location loc);

/// The framework's name of an operation: "jit(step)/ResNet50/stem/conv_general_dilated", or "".
/// The outermost name of a location; those of functions in a stack of calls are inside.
std::string nameStack(mlir::Location loc);

/// The location of an operation of a function at `callee` that is called at `caller`: both lines,
/// and the callee's name stack below the caller's.
mlir::Location inlinedLocation(mlir::Location callee, mlir::Location caller);

/// The error that this compiler lacks something, where all others say that the input is wrong.
mlir::InFlightDiagnostic emitLack(mlir::Location loc);
/// Makes an error one of those.
mlir::InFlightDiagnostic &markLack(mlir::InFlightDiagnostic &diagnostic);
mlir::InFlightDiagnostic &&markLack(mlir::InFlightDiagnostic &&diagnostic);
/// At the line of `op`. Producers leave those out where they use a function twice; then it is its
/// function's or that of a call.
mlir::InFlightDiagnostic emitLack(mlir::Operation *op);
/// The error that the machine has too little memory for the program.
mlir::InFlightDiagnostic emitTooLarge(mlir::Location loc);

/// What has to change for an error to go away.
enum class Fault { Input, Compiler, Machine };
Fault faultOf(mlir::Diagnostic &diagnostic);

/// The error that an operation is not supported, `where` if that is not everywhere, with its types.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op, const llvm::Twine &where = "");
/// Of an operation in an encoding of StableHLO, by what these are there.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op, llvm::StringRef name,
                                         mlir::TypeRange operands, mlir::TypeRange results,
                                         mlir::Attribute callTarget, const llvm::Twine &where = "");

/// Where custom calls say what they call.
inline constexpr llvm::StringLiteral kCallTarget = "call_target_name";

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_DIAGNOSTICS_H
