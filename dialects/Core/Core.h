// The `core` dialect: the machine's instructions in SSA form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_CORE_CORE_H
#define SYSTOLE_DIALECTS_CORE_CORE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Core/CoreDialect.h.inc"
#include "dialects/Core/CoreEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Core/CoreTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Core/CoreAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Core/CoreOps.h.inc"

namespace systole::core {

/// How a call passes i32 arguments: the first in s0, s1, ..., and the others in words of SMEM,
/// those of the region that has this name. A routine reads all of them before it calls another, so
/// that all calls share the words.
inline constexpr int64_t kRegisterArguments = 28;
inline constexpr llvm::StringLiteral kArgumentRegion = "arguments";

} // namespace systole::core

#endif // SYSTOLE_DIALECTS_CORE_CORE_H
