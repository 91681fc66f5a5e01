// Lowers scalar arithmetic and structured control flow, in kernels and in the program outside of
// them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_CONTROL_H
#define SYSTOLE_COMPILER_CODEGEN_CONTROL_H

#include "compiler/Codegen/Emitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace systole::codegen {

/// Lowers `arith` on i32 and i1 and `scf` to `core` scalar instructions and `scf` on i32; an i1 is
/// 0 or 1. All other operations go to `lowerOther`.
class ControlLowering {
public:
  virtual ~ControlLowering() = default;

protected:
  explicit ControlLowering(Emitter &emitter) : e(emitter) {}

  /// Lowers the operations of `block` except its terminator.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  /// An operation that is neither arithmetic nor control flow.
  virtual mlir::LogicalResult lowerOther(mlir::Operation &op) = 0;

  /// The lowered value of a scalar.
  mlir::Value scalar(mlir::Value value) { return values.lookup(value); }
  llvm::SmallVector<mlir::Value> scalars(mlir::ValueRange range);
  void setScalar(mlir::Value value, mlir::Value lowered) { values[value] = lowered; }

  Emitter &e;

private:
  mlir::LogicalResult lowerControl(mlir::Operation &op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);

  llvm::DenseMap<mlir::Value, mlir::Value> values;
  int depth = 0; ///< of enclosing loops and branches
};

/// Emits an operation of the `arith` dialect on lowered operands; null without a diagnostic if it
/// is unsupported.
mlir::Value emitArithmetic(Emitter &emitter, mlir::Operation &op,
                           llvm::ArrayRef<mlir::Value> operands);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_CONTROL_H
