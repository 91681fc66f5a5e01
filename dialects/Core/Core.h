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

#endif // SYSTOLE_DIALECTS_CORE_CORE_H
