// The values of a program that are in the memory of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTVALUES_H
#define SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTVALUES_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace systole {

/// A memory that a program names: one of the host's, or the device's (nothing).
using MemoryKind = std::optional<kernel::HostMemory>;

/// The memory of a name such as "pinned_host"; failure if there is none of that name.
mlir::FailureOr<MemoryKind> memoryOfName(llvm::StringRef name);

/// The memory that an argument or result of the program is in, by its attributes.
mlir::FailureOr<MemoryKind> memoryOf(mlir::DictionaryAttr attributes);

/// An error if an argument or result in the host's memory has a layout of its own.
llvm::LogicalResult checkEntryLayouts(mlir::func::FuncOp function);

/// Whether the program asks the host to compute `op`. The device does, with copies of what is
/// there.
bool isHostCompute(mlir::Operation *op);

/// Whether `op` copies its operand to the memory that it names.
bool isPlacement(mlir::Operation *op);
/// The memory that a placement names; an error if there is none of that name.
mlir::FailureOr<MemoryKind> placementOf(stablehlo::CustomCallOp op);

/// Values of one function that are in the memory of the host: what arguments and placements say,
/// and what elements of such values are moved to. What a loop carries is in the host's memory if
/// its value is there initially or after a trip.
class HostValues {
public:
  /// An error at an operation that computes on such a value.
  static mlir::FailureOr<HostValues> of(mlir::func::FuncOp function);

  bool contains(mlir::Value value) const { return values.contains(value); }
  bool isEmpty() const { return values.empty(); }

private:
  /// Adds the values that follow from those which are known; whether there were any.
  bool grow(mlir::func::FuncOp function);
  bool growIn(mlir::Operation *op);
  bool add(mlir::Value value) { return values.insert(value).second; }
  mlir::LogicalResult check(mlir::func::FuncOp function) const;

  llvm::DenseSet<mlir::Value> values;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTVALUES_H
