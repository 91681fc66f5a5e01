// How the order of an operation's operands and that of its results go together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_OPERANDORDERS_H
#define SYSTOLE_COMPILER_LAYOUT_OPERANDORDERS_H

#include "compiler/Layout/Order.h"
#include "mlir/IR/Operation.h"

namespace systole {

/// One way to run an operation on tensors as they lie.
struct OperandOrders {
  /// The order in which it reads each operand.
  llvm::SmallVector<Order> operands;
  /// The order in which it makes every result; all of them have one shape.
  Order result;
  /// A contraction with its operands exchanged.
  bool exchanged = false;
  /// A contraction: bytes that bringing the operands into the matrix unit's form moves, and
  /// that could be moved while it works.
  int64_t hiddenBytes = 0;
};

/// The best way to run `op`, which is no control flow, on `operands` if its
/// results are wanted in the order `wanted`. Its own order may be another: then the
/// results change theirs afterwards.
OperandOrders operandOrdersOf(mlir::Operation *op, llvm::ArrayRef<Placed> operands,
                              const Order &wanted);

/// Orders of the results that the operands suggest, those of the first operands first.
llvm::SmallVector<Order> suggestedOrders(mlir::Operation *op, llvm::ArrayRef<Placed> operands);

/// The order of `to` in which a tensor in the order `from` can be reshaped as it
/// lies; nothing if there is none.
std::optional<Order> throughReshape(const Placed &from, mlir::RankedTensorType to);

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_OPERANDORDERS_H
