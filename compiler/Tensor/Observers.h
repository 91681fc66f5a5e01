// Operations that compute nothing but what taps send to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_OBSERVERS_H
#define SYSTOLE_COMPILER_TENSOR_OBSERVERS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace systole {

/// The taps of a program (`kernel.first_tap`), and the operations without effects whose results
/// only they use. What decides in which order numbers are added does not ask them: so the results
/// of a program with taps are those of the program without, bit for bit.
class Observers {
public:
  explicit Observers(mlir::ModuleOp module);

  bool contains(mlir::Operation *op) const { return observers.contains(op); }
  /// Whether the program uses a value once.
  bool hasOneUse(mlir::Value value) const;
  /// The user of a value that has one use.
  mlir::Operation *userOf(mlir::Value value) const;

private:
  llvm::DenseSet<mlir::Operation *> observers;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_OBSERVERS_H
