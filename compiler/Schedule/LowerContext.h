// Tables shared by the lowering of all routines of a module: opcodes, sources,
// kernels, regions and DMA descriptors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOWERCONTEXT_H
#define SYSTOLE_COMPILER_SCHEDULE_LOWERCONTEXT_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Core/Core.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace systole::machine {

struct LowerContext {
  Module module;
  llvm::StringMap<uint32_t> routines;
  /// The region of arguments beyond the registers, or -1.
  int32_t argumentRegion = -1;

  /// The opcode of an operation, or none.
  isa::Opcode opcode(mlir::OperationName name);
  /// The index of the location's "file:line:column" in the table, or kNone.
  uint32_t source(mlir::Location loc);
  /// The index of the kernel that the `core.kernel` attribute describes, or -1.
  int32_t kernel(mlir::Operation *op);
  int32_t descriptor(core::DmaAttr attr);
  /// The word of the argument region that passes argument `number`, which no register does. Fails
  /// if the region has no such word.
  llvm::FailureOr<int32_t> argumentWord(mlir::Operation *op, int64_t number) const;
  /// Reads the module's `core.regions`.
  llvm::LogicalResult readRegions(mlir::ModuleOp module);

private:
  llvm::DenseMap<void *, isa::Opcode> opcodes;
  llvm::DenseMap<const void *, uint32_t> locations;
  llvm::StringMap<uint32_t> sources;
  llvm::DenseMap<core::DmaAttr, int32_t> descriptors;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOWERCONTEXT_H
