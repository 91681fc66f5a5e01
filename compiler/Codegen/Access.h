// Maps a stage's iteration space to rows and lanes of its buffers, and chooses loops over
// it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_ACCESS_H
#define SYSTOLE_COMPILER_CODEGEN_ACCESS_H

#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// One buffer under an index map of the space. Element (row, lane) of the buffer for an index: row
/// = first + sum of strides[d] * index[d] over all dimensions but the last, plus the index's group
/// of 128 lanes if the last dimension is along the lanes.
struct Access {
  enum class Lanes {
    along,  // the space's last dimension is along the buffer's lanes
    first,  // lane 0 of a row
    chosen, // the index along dimension `laneDim` selects lane and group
  };
  BufferRef buffer;
  llvm::SmallVector<int64_t> strides;
  int64_t first = 0;
  Lanes lanes = Lanes::along;
  int64_t laneDim = -1;
};

/// The results of `map` are distinct dimensions of the space `sizes`, with factors and offsets, or
/// constants.
Access accessOf(const BufferRef &buffer, mlir::AffineMap map, llvm::ArrayRef<int64_t> sizes);

/// A loop dimension: consecutive dimensions of the space merged into one. The groups of 128 lanes
/// (of the space's last dimension) are a dimension, too.
struct LoopDim {
  int64_t extent = 1;
  /// The merged dimensions of the space, outermost first; its last one stands for groups of lanes.
  llvm::SmallVector<int64_t> parts;
  /// Logical rows per step, by access.
  llvm::SmallVector<int64_t> strides;
  /// Set by the caller; only dimensions with equal flags are merged.
  bool reduced = false;
};

/// The loop dimensions of `sizes`, outermost first, without those of size 1, merged where all
/// accesses allow. `pinned` dimensions are not merged.
llvm::SmallVector<LoopDim> loopDims(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Access> accesses,
                                    const llvm::SmallVectorImpl<bool> &pinned,
                                    const llvm::SmallVectorImpl<bool> &reduced);

/// Emits loads while loop dimensions are bound, outermost first: an input is loaded as soon as the
/// dimensions that it depends on are bound.
class Walker {
public:
  /// The first `inputs` accesses are loaded. `sublaneDim` is the index of the
  /// dimension that the sublanes run along.
  Walker(Emitter &emitter, llvm::ArrayRef<Access> accesses, size_t inputs,
         llvm::ArrayRef<LoopDim> dims, size_t sublaneDim);

  Emitter &e;
  llvm::ArrayRef<Access> accesses;
  llvm::ArrayRef<LoopDim> dims;
  const size_t sublaneDim;

  /// The number of used sublanes of groups bound from now on: 8, or fewer for a last group, whose
  /// loads and stores are masked.
  void setSublanes(int64_t count);
  mlir::Value sublaneLimit() const { return limit; } // null for all
  int64_t sublaneCount() const { return count; }

  /// Binds dimension `dim` to `index` (that of its first sublane, for the sublane dimension) while
  /// `body` runs.
  void bind(size_t dim, mlir::Value index, llvm::function_ref<void()> body);
  /// Loads inputs that depend on no dimension. Call before the first bind.
  void start();

  /// The row of an access whose dimensions are all bound.
  mlir::Value row(size_t access);
  mlir::Value stride(size_t access);
  /// The input values for bodies; all dimensions are bound.
  llvm::ArrayRef<mlir::Value> inputs() const { return loaded; }
  /// The cells' index along a dimension of the space, which must be pinned.
  mlir::Value index(int64_t spaceDim);
  /// The scalar index of a dimension of the space other than the sublane dimension.
  mlir::Value scalarIndex(int64_t spaceDim);
  /// The loop dimension that contains a dimension of the space; nothing if it has size 1.
  std::optional<size_t> find(int64_t spaceDim) const;

private:
  void loadReady();
  mlir::Value load(size_t access);
  mlir::Value plus(mlir::Value cells, mlir::Value scalar);

  size_t inputCount;
  int64_t rank;
  int64_t count = kSublanes;
  mlir::Value limit;
  llvm::SmallVector<mlir::Value> indices; // by loop dimension; null while unbound
  // Accesses with equal strides share the computation of their rows.
  llvm::SmallVector<size_t> keyOf;
  llvm::SmallVector<size_t> keys; // one access for each key
  llvm::SmallVector<mlir::Value> rows;
  llvm::SmallVector<mlir::Value> loaded;
};

/// The order of loops over some dimensions, and which are unrolled.
struct LoopPlan {
  struct Level {
    size_t dim;
    bool unrolled = false;
  };
  llvm::SmallVector<Level> levels; // outermost first
};

/// Orders `dimensions` for pipelining: the longest loop innermost; inside of it the short ones are
/// unrolled while there are at most `maxCopies` copies of the body. `trips` are iterations by
/// dimension.
LoopPlan planLoops(llvm::ArrayRef<size_t> dimensions, llvm::ArrayRef<int64_t> trips,
                   int64_t maxCopies);

/// Emits the loops of a plan around `body`, binding each dimension. Dimension d
/// runs over `trips[d]` steps of `steps[d]` from `firsts[d]`.
void emitLoops(Walker &walker, const LoopPlan &plan, llvm::ArrayRef<int64_t> firsts,
               llvm::ArrayRef<int64_t> trips, llvm::ArrayRef<int64_t> steps, bool independent,
               llvm::function_ref<void()> body);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_ACCESS_H
