// Which kernel operations join.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_GROUPJOINS_H
#define SYSTOLE_COMPILER_FUSION_GROUPJOINS_H

#include "compiler/Fusion/Groups.h"

namespace systole {

/// Operations that must share a kernel, each with the number that they share. They stand one
/// behind the other.
using Units = llvm::DenseMap<mlir::Operation *, unsigned>;

/// Groups that grow by the operations that read their results, as long as the planner finds one
/// kernel to be no slower than two.
class GroupJoins : protected Groups {
protected:
  GroupJoins(mlir::Block &block, Planner &planner, const Units &units)
      : Groups(block, planner), units(units) {}

  /// Groups that must come before a reader, -1 for none: those whose data it reads,
  /// which it may join, and those that scalars of the sequencer wait for.
  struct Needs {
    int64_t data = -1, scalars = -1;
    void add(const Needs &other) {
      data = std::max(data, other.data);
      scalars = std::max(scalars, other.scalars);
    }
  };

  Needs needsOf(mlir::Value value) const;
  /// Joins the last producer's kernel; small work without one, the last kernel of all.
  bool joinLast(llvm::ArrayRef<mlir::Operation *> ops);

  const Units &units;
  /// Operations whose kernel is being chosen.
  llvm::SmallPtrSet<mlir::Operation *, 8> placing;
  /// Operations outside of kernels, each with the last group that it depends on or -1.
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> sequenced;
  llvm::DenseMap<mlir::Operation *, int64_t> readyAfter;

private:
  Needs needsOf(mlir::Operation *op) const;
  bool isMostlyLatency(llvm::ArrayRef<mlir::Operation *> ops);
  bool isChained(int64_t number, mlir::Operation *op) const;
  std::optional<llvm::SmallVector<mlir::Operation *>>
  joined(int64_t number, llvm::ArrayRef<mlir::Operation *> members,
         llvm::ArrayRef<mlir::Operation *> added);
  std::optional<double> cyclesOfTwo(int64_t number, llvm::ArrayRef<mlir::Operation *> added);
  bool canJoin(int64_t number, llvm::ArrayRef<mlir::Operation *> added);
  bool joinWithoutPrologue(int64_t number, llvm::ArrayRef<mlir::Operation *> added);
  void remarkJoin(mlir::Location loc, bool joins, llvm::ArrayRef<mlir::Operation *> ops,
                  std::optional<double> all, std::optional<double> two) const;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_GROUPJOINS_H
