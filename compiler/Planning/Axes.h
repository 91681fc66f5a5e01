// The axes along which a group of operations can be cut.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_AXES_H
#define SYSTOLE_COMPILER_PLANNING_AXES_H

#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/CutPropagation.h"
#include "compiler/Planning/GroupTensors.h"

#include <array>

namespace systole {

/// The axes of one group of operations.
class Axes {
public:
  /// `ops`, in program order, have to outlive this.
  explicit Axes(llvm::ArrayRef<mlir::Operation *> ops) : ops(ops), tensors(ops), propagation(ops) {}

  llvm::ArrayRef<mlir::Operation *> operations() const { return ops; }
  const GroupTensors &groupTensors() const { return tensors; }

  /// The cut that takes `seed` along `dim`, in one block, if all operations allow it.
  std::optional<Cut> cutAlong(mlir::Value seed, int64_t dim) { return propagation.cut(seed, dim); }
  /// The cuts that tensors of the group allow along which nothing is summed in chunks, each once.
  llvm::SmallVector<Cut> parallelCuts();
  /// The axes along which sums are done in chunks, the innermost of a grid, in all ways that keep
  /// the orders of all sums: those with the smallest blocks first, then several chunks a step. One
  /// without axes if no sum has to be done in chunks; empty if the sums do not agree.
  llvm::SmallVector<Blocking, 0> chunkings();

  /// `Cut::quantum` for blocks of what the group reads and writes in HBM, of a cut of these axes.
  std::optional<int64_t> quantumOf(const Cut &cut, bool vectors) const;
  /// Whether blocks of `size` begin where all that the cut concerns can be read.
  bool startsAtQuanta(const Cut &cut, int64_t size) const;

private:
  /// Axes along the first `depth` dimensions that `op` has chunks of, if all operations allow them.
  std::optional<Blocking> chunkAxes(mlir::Operation *op, int64_t depth);
  /// Adds `blocking`, whose axes are those of chunks, with all sizes of blocks that sums allow.
  void addChunkings(Blocking blocking, llvm::SmallVectorImpl<Blocking> &found) const;

  llvm::ArrayRef<mlir::Operation *> ops;
  GroupTensors tensors;
  CutPropagation propagation;
  /// By the seed of a cut, without and with whole vectors.
  using Quanta = std::array<std::optional<int64_t>, 2>;
  mutable llvm::DenseMap<std::pair<mlir::Value, int64_t>, Quanta> quanta;
  /// The operations that sum in chunks.
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::SmallVector<Chunks, 2>>, 0> sums;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_AXES_H
