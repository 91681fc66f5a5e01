// The `tpu` dialect: kernels of Pallas in Mosaic's form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MOSAIC_MOSAIC_H
#define SYSTOLE_DIALECTS_MOSAIC_MOSAIC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "dialects/Mosaic/MosaicDialect.h.inc"
#include "dialects/Mosaic/MosaicEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Mosaic/MosaicTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Mosaic/MosaicAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Mosaic/MosaicOps.h.inc"

namespace systole::tpu {

/// The memory space of a memref; `any` if its type does not tell.
MemorySpace memorySpaceOf(mlir::MemRefType type);

} // namespace systole::tpu

#endif // SYSTOLE_DIALECTS_MOSAIC_MOSAIC_H
