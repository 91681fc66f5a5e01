// Operations of a block that share kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_GROUPS_H
#define SYSTOLE_COMPILER_FUSION_GROUPS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace systole {

class Planner;
struct Plan;

struct Group {
  llvm::SmallVector<mlir::Operation *> ops;
  bool hasProduct = false;
  /// Of the results with which the planner last found a plan.
  int64_t plannedBytes = 0;
  /// Control flow, which nothing can join.
  mlir::Operation *control = nullptr;
};

/// Stays outside of kernels: the program's image holds it.
bool isProgramConstant(mlir::Operation *op);

/// The groups of one block's operations, in the order in which they will run.
class Groups {
protected:
  Groups(mlir::Block &block, Planner &planner) : block(block), planner(planner) {}

  /// Puts arithmetic of rank 0 directly behind what it reads, as far as `canMove`: otherwise it
  /// joins whatever kernel is last where it stands, and its readers wait for all that this one
  /// reads.
  void hoistScalars(llvm::function_ref<bool(mlir::Operation *)> canMove);
  /// `ops`, whose producers are in their places or copied, become the last members of a group.
  void join(int64_t number, llvm::ArrayRef<mlir::Operation *> ops);
  /// The operations of a group on which its product depends.
  llvm::SmallVector<mlir::Operation *> prologueOf(int64_t number) const;
  /// Makes `ops` of group `number`, which read nothing of the others, a group before it. The
  /// rest of that group and those behind it have numbers that are higher by one.
  void splitBefore(int64_t number, llvm::ArrayRef<mlir::Operation *> ops);
  /// `op`'s producers of which each kernel has its own copy.
  void appendRepeated(mlir::Operation *op, llvm::SmallVector<mlir::Operation *> &ops,
                      llvm::SmallPtrSetImpl<mlir::Operation *> &inside);
  /// `ops` behind what they have copies of.
  llvm::SmallVector<mlir::Operation *> withRepeated(llvm::ArrayRef<mlir::Operation *> ops);
  /// Estimated cycles of `ops` as the kernel of group `number`, with the copies of loop-carried
  /// values that it cannot write in place; nothing if there is no plan.
  std::optional<double> cyclesOf(int64_t number, llvm::ArrayRef<mlir::Operation *> ops);
  /// Makes a fusion of a group, with its plan, at the end of the block.
  void buildFusion(const Group &group);

  mlir::Block &block;
  Planner &planner;
  llvm::SmallVector<Group> groups;
  llvm::DenseMap<mlir::Operation *, int64_t> groupOf;

  bool isView(const Group &group) const;

private:
  /// Whether kernels alone read what `use` does, behind barriers.
  bool isReadByKernels(mlir::OpOperand &use) const;
  double copyCyclesOf(int64_t number, llvm::ArrayRef<mlir::Operation *> ops,
                      const Plan &plan) const;
  /// Whether anything but `ops` reads `value` when group `number` has run.
  bool isReadBehind(mlir::Value value, int64_t number, llvm::ArrayRef<mlir::Operation *> ops) const;
  bool isMember(mlir::Operation *user, const Group &group) const;
  bool escapes(mlir::Value value, const Group &group) const;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_GROUPS_H
