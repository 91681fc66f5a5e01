// Changes of the program itself before propagation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_PREPARATION_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_PREPARATION_H

#include "compiler/Partition/Propagation/ShardedProgram.h"

namespace systole::partition {

/// Gives each use of a constant expression, and of a scalar that is broadcast, one of its own: what
/// needs a constant in one place says nothing about other places.
void splitConstants(mlir::func::FuncOp main);

/// Gives values the shardings of the constraints that read them, where no others read them.
void applyConstraints(ShardedProgram &program);

/// Values that are divided alike, by the groups that they are in.
class ShardingGroups {
public:
  /// Reads the groups and gives all values of one the sharding that one of them has.
  mlir::LogicalResult read(ShardedProgram &program);
  /// All values of the group of `holder`; none if it is in no group.
  llvm::ArrayRef<mlir::Value> membersOf(mlir::Value holder) const;

private:
  void agree(ShardedProgram &program, llvm::SmallVector<mlir::Value> &members);

  llvm::SmallVector<llvm::SmallVector<mlir::Value>> groups;
  llvm::DenseMap<mlir::Value, size_t> groupOf;
};

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_PREPARATION_H
