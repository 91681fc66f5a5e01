// What the estimates of one group of operations share, whatever its blocks are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_GROUPCOSTS_H
#define SYSTOLE_COMPILER_PLANNING_COST_GROUPCOSTS_H

#include "compiler/Model/OpCosts.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Tensor/OpKinds.h"

namespace systole {

/// A value, and for each of its dimensions the dimension of the stage's space, or -1.
using ExpressionAccess = std::pair<mlir::Value, llvm::SmallVector<int64_t, 4>>;

/// The expressions of some values, which one stage evaluates.
struct Expressions {
  llvm::SmallVector<mlir::Value, 2> values;
  /// The buffers beside the group's operands that exist before the stage, in their order.
  llvm::SmallVector<mlir::Value> defined;
  /// Buffers that are read, and by which operand; none of the values themselves.
  struct Leaf {
    ExpressionAccess access;
    mlir::OpOperand *operand;
    bool operator==(const Leaf &other) const = default;
  };
  llvm::SmallVector<Leaf, 4> leaves;
  OpCost body;
  /// Dimensions whose index is read.
  llvm::SmallVector<int64_t, 2> pinned;
};

/// The operations of a group, in program order, and what is known of them before they are cut.
class GroupCosts {
public:
  GroupCosts(llvm::ArrayRef<mlir::Operation *> ops, const MachineModel &model);

  struct Member {
    mlir::Operation *op;
    OpKind kind;
    bool isEmpty;                              ///< no result has elements
    llvm::SmallVector<mlir::Value, 1> buffers; ///< expressions that are computed once
    OpCost cost;
  };
  const llvm::SmallVector<mlir::Operation *> operations;
  const GroupTensors tensors;
  const MachineModel &model;
  llvm::SmallVector<Member, 0> members;

  bool contains(mlir::Operation *op) const { return numbers.contains(op); }
  const Expressions &expressionsOf(llvm::ArrayRef<mlir::Value> values,
                                   llvm::ArrayRef<mlir::Value> defined);

private:
  OpCost costOf(mlir::Operation *op) const;
  /// The longer one of two chains of instructions.
  Arithmetic longer(const Arithmetic &a, const Arithmetic &b) const;
  Expressions collect(llvm::ArrayRef<mlir::Value> values,
                      llvm::ArrayRef<mlir::Value> defined) const;

  llvm::DenseMap<mlir::Operation *, size_t> numbers;
  /// By their first value.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::unique_ptr<Expressions>, 1>> known;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_GROUPCOSTS_H
