// The kernels of a block as memory sees them: what runs before what, and what is live meanwhile.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_BLOCKMEMORY_H
#define SYSTOLE_COMPILER_FUSION_BLOCKMEMORY_H

#include "compiler/Planning/Offsets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace systole {

/// An order of a block's operations, by their numbers in it.
using KernelOrder = std::vector<unsigned>;

/// Bytes of HBM for the arrays of `function` that BlockMemory counts: what the caller keeps, and
/// constants, are there in addition.
int64_t roomInHbm(mlir::func::FuncOp function, int64_t hbmRows);

/// Arrays of one block of fusions and control flow. Other names of an array (reinterpretations,
/// barriers) are that array.
class BlockMemory {
public:
  explicit BlockMemory(mlir::Block &block);

  /// The most bytes that are live at one time if the operations run in this order. Arguments that
  /// stay and what is outside of the block do not count.
  int64_t peakBytes(llvm::ArrayRef<unsigned> order) const;

  /// The same arrays with the times, positions in `order`, at which they are live. One that is
  /// computed over another one is part of that.
  std::vector<LiveBuffer> liveBuffers(llvm::ArrayRef<unsigned> order) const;

  /// As they stand.
  KernelOrder programOrder() const;
  enum class From { Start, End };
  enum class Next {
    Best,  ///< of what could run next, what frees most and takes least
    Eager, ///< what frees more than it takes; if nothing does, the first of the program
  };
  /// A list schedule, from the start or, of the reversed graph, from the end.
  KernelOrder schedule(From from, Next next) const;
  /// Of all these the first one whose peak is lowest.
  KernelOrder bestOrder() const;

  /// Moves the operations of the block.
  void apply(llvm::ArrayRef<unsigned> order) const;

  struct Array {
    mlir::Value value;
    int64_t bytes = 0;
    int producer = -1; ///< -1: it is there from the start
    llvm::SmallVector<unsigned, 4> users;
    bool stays = false;  ///< to the end of the block
    bool isHome = false; ///< where a loop keeps a value, and its next one
  };
  llvm::ArrayRef<Array> arrays() const { return all; }
  llvm::ArrayRef<mlir::Operation *> operations() const { return ops; }
  /// What control flow takes beside its operands and results.
  int64_t innerBytes(unsigned number) const { return nodes[number].innerBytes; }
  /// Of the values that this block, the body of a loop, replaces.
  int64_t homeBytes() const;

private:
  struct Node {
    llvm::SmallVector<unsigned, 4> before, after; ///< operations
    llvm::SmallVector<unsigned, 4> reads, writes; ///< arrays
    /// Pairs of arrays of which the second may be computed over the first, if that is not read
    /// later.
    llvm::SmallVector<std::pair<unsigned, unsigned>, 2> inPlace;
    int64_t innerBytes = 0;
  };

  unsigned arrayOf(mlir::Value root);
  void addValues();
  void addInPlace();
  void addEffects();
  void addEdge(unsigned before, unsigned after);
  /// Whether `to` must run after `from`.
  bool reaches(unsigned from, unsigned to) const;
  /// Arrays are read before the operations beside them replace them, where that is possible.
  void readBefore(llvm::ArrayRef<std::pair<unsigned, unsigned>> replaced);

  mlir::Block &block;
  std::vector<mlir::Operation *> ops;
  std::vector<Node> nodes;
  std::vector<Array> all;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Value, unsigned> arrayNumbers;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_BLOCKMEMORY_H
