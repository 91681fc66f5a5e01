// Maps a stage's iteration space to rows and lanes of its buffers, and emits loops over it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_ACCESS_H
#define SYSTOLE_COMPILER_CODEGEN_ACCESS_H

#include "compiler/Codegen/Emitter.h"
#include "compiler/Model/LoopNest.h"

namespace systole::codegen {

/// One buffer under an index map of the space.
struct Access : RowAccess {
  BufferRef buffer;
  /// A bf16 that is loaded into both halves of a cell.
  bool isRepeated = false;
};

/// The results of `map` are distinct dimensions of the space `sizes`, with factors and offsets, or
/// constants.
Access accessOf(const BufferRef &buffer, mlir::AffineMap map, llvm::ArrayRef<int64_t> sizes);

/// The loop dimensions of `sizes` for these accesses (`loopDims` in compiler/Model/LoopNest.h).
llvm::SmallVector<LoopDim> loopDims(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Access> accesses,
                                    llvm::ArrayRef<bool> pinned, llvm::ArrayRef<bool> reduced);

/// Whether the last group of eight along dimension `sublaneDim` may go on beyond the elements in
/// all buffers (`paddingTakesLastGroup` in compiler/Model/LoopNest.h). The first `inputs` are read.
bool paddingTakesLastGroup(llvm::ArrayRef<LoopDim> dims, size_t sublaneDim,
                           llvm::ArrayRef<Access> accesses, size_t inputs);

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
  /// Takes the vectors of inputs that do not change along dimension `dim` from `other`, whose other
  /// dimensions are bound to the same indices first.
  void shareLoads(const Walker &other, size_t dim) { shared = &other, sharedDim = dim; }
  /// Loads inputs that depend on no dimension. Call before the first bind.
  void start();
  /// Loads the inputs that depend on no unbound dimension but some of `unrolled`, for all steps of
  /// these. Until `dropHoisted` nothing else loads them.
  void hoist(llvm::ArrayRef<size_t> unrolled, llvm::ArrayRef<int64_t> firsts,
             llvm::ArrayRef<int64_t> trips, llvm::ArrayRef<int64_t> steps);
  void dropHoisted() { hoisted.clear(); }

  /// The row of an access whose dimensions are all bound.
  mlir::Value row(size_t access);
  mlir::Value stride(size_t access);
  /// The input values for bodies; all dimensions are bound.
  llvm::ArrayRef<mlir::Value> inputs() const { return loaded; }
  /// The cells' index along a dimension of the space, which must be pinned, or one of several that
  /// are reduced as one.
  mlir::Value index(int64_t spaceDim);
  /// The scalar index of a dimension of the space other than the sublane dimension.
  mlir::Value scalarIndex(int64_t spaceDim);
  /// The loop dimension that contains a dimension of the space; nothing if it has size 1.
  std::optional<size_t> find(int64_t spaceDim) const;

private:
  /// An input's vector for some indices of unrolled dimensions.
  struct Hoisted {
    size_t access;
    llvm::SmallVector<std::pair<size_t, int64_t>, 2> at; // dimensions and their indices
    mlir::Value vector;
  };

  /// A row of an input, of which stages choose lanes.
  struct LoadedRow {
    mlir::Value row, mask, vector;
  };

  bool dependsOn(size_t access, size_t dim) const {
    return changesAlong(dims[dim], accesses[access], access);
  }
  void loadReady();
  /// The entry of an input for the indices that are bound, or the end.
  Hoisted *findHoisted(size_t access);
  mlir::Value load(size_t access);
  mlir::Value plus(mlir::Value cells, mlir::Value scalar);
  /// The index along one of the dimensions that are merged into a loop dimension.
  mlir::Value partOfIndex(size_t dim, int64_t spaceDim);

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
  llvm::SmallVector<LoadedRow> lastRows; // by input
  /// Where inputs that do not change along `sharedDim` are loaded; null: here.
  const Walker *shared = nullptr;
  size_t sharedDim = 0;
  bool isHoisting = false;
  llvm::SmallVector<Hoisted> hoisted;
};

/// Emits the loops of a plan around `body`, binding each dimension. Dimension d
/// runs over `trips[d]` steps of `steps[d]` from `firsts[d]`.
void emitLoops(Walker &walker, const LoopPlan &plan, llvm::ArrayRef<int64_t> firsts,
               llvm::ArrayRef<int64_t> trips, llvm::ArrayRef<int64_t> steps, bool independent,
               llvm::function_ref<void()> body);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_ACCESS_H
