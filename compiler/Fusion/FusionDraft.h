// A fusion that is made from the operations of others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_FUSIONDRAFT_H
#define SYSTOLE_COMPILER_FUSION_FUSIONDRAFT_H

#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/Planner.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// Collects operations and what they read from outside, then makes a `kernel.fusion` of what its
/// results need. Without `finish` nothing remains of it.
class FusionDraft {
public:
  /// The fusion will stand before `place`.
  explicit FusionDraft(mlir::Operation *place)
      : place(place), block(std::make_unique<mlir::Block>()) {}

  /// The body's name for a value from outside.
  mlir::Value input(mlir::Value outer);
  /// A copy of `op`, whose operands `names` renames, or the equal operation that is there already;
  /// adds its results to these.
  void append(mlir::Operation *op, mlir::IRMapping &names);
  /// Copies of all operations of `fusion`. `names` may have some of its arguments already, which
  /// then come from inside. Adds what there is to them.
  void append(kernel::FusionOp fusion, mlir::IRMapping &names);
  /// The fusion whose results are `results`, without what these do not need.
  kernel::FusionOp finish(mlir::Location loc, llvm::StringRef kind,
                          llvm::ArrayRef<mlir::Value> results);

private:
  /// Equal operations: what they are and read, wherever they come from.
  struct SameOperation : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(mlir::Operation *op);
    static bool isEqual(mlir::Operation *a, mlir::Operation *b);
  };

  mlir::Operation *place;
  std::unique_ptr<mlir::Block> block;
  llvm::DenseSet<mlir::Operation *, SameOperation> known; ///< those of the block
  llvm::SmallVector<mlir::Value> inputs;
};

/// The plan of a fusion; nothing if there is none, or if it has more operations or operands than a
/// kernel may have.
std::optional<Plan> planOf(kernel::FusionOp fusion, Planner &planner,
                           VmemUse use = VmemUse::Shared);

/// The blocks that have fusions, in the order in which they stand.
llvm::SetVector<mlir::Block *> blocksOfFusions(mlir::Operation *root);

/// Whether the results of `op` are other names of arrays: `kernel.reinterpret`, barriers.
bool isAlias(mlir::Operation *op);
/// The array that `value` is another name of, null for none.
mlir::Value aliasedBy(mlir::Value value);

/// Whether a fusion replaces windows of the array that `use` reads, in HBM.
bool isUpdated(mlir::OpOperand &use);

/// Work of the matrix unit, of which a kernel has at most one piece.
bool isProduct(mlir::Operation *op);

/// More operations would make kernels that no one can read in a report, and joining them costs
/// time in proportion to their number.
inline constexpr size_t kMaxGroupOps = 512;
/// As many parts of one operation of the program (`kernel.expanded`) count as one.
inline constexpr size_t kPartsOfOp = 3;
/// The number of operations as kMaxGroupOps limits it: of all, and of those of which a kernel for
/// two fusions has as many as both.
size_t countOperations(llvm::ArrayRef<mlir::Operation *> ops);
size_t countWork(llvm::ArrayRef<mlir::Operation *> ops);
/// A routine takes its operands' regions in scalar registers, of which it has 32.
inline constexpr int64_t kMaxOperands = 24;

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_FUSIONDRAFT_H
