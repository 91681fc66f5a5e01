// One step of a product: a block of weights for each array, and the rows that
// stream through them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/CopyBox.h"
#include "compiler/Codegen/DotParts.h"

namespace systole::codegen {

/// lhs [batch, m, k] times rhs [batch, k, n] (or [batch, n, k]).
struct DotShape {
  int64_t batch, m, k, n;
  bool rhsTransposed;
  /// Blocks of 128: tiles of lanes of the operands.
  int64_t kBlocks() const { return ceilDiv(k, lanes); }
  int64_t nBlocks() const { return ceilDiv(n, lanes); }
  /// Rows of a matrix of rhs, and tiles of lanes in each.
  int64_t rhsRows() const { return rhsTransposed ? n : k; }
  int64_t rhsTiles() const { return rhsTransposed ? kBlocks() : nBlocks(); }
};

/// What the arrays divide among them in a step.
enum class DotSplit {
  columns, // each has a block of columns of its own
  depth,   // each has a block of k; the results are added
  rows,    // each has rows of its own, and the same weights
};

/// A part of a product that one loop covers: all batches and rows, `nCount`
/// steps of column blocks from block `nFirst`, `kCount` steps of blocks of k from
/// block `kFirst`. Rows are cut into chunks of `groups` row groups of eight; the
/// last may be short. Blocks that are not full, of k or of rhs's rows, stand in
/// phases of one step.
struct DotPhase {
  DotSplit split;
  int64_t arrays;
  int64_t nFirst, nCount;
  int64_t kFirst, kCount;
  int64_t groups;

  /// Of `what`, how many blocks or chunks a step does.
  int64_t perStep(DotSplit what) const { return split == what ? arrays : 1; }
  int64_t rowSteps(int64_t rows) const {
    return ceilDiv(rows, sublanes * groups * perStep(DotSplit::rows));
  }
};

/// How the results of a step reach the output.
enum class DotSums {
  replace,
  add,
  start, // replace in the first step over k, else add
};

/// Which buffers the results of a step are stored to.
struct DotStores {
  bool sums, rounded;
};

/// Where a step is: its number along batches and each direction of its phase.
struct DotPosition {
  Sum batch, column, row, depth;
};

/// Runs `body` over `rows` rows, eight at a time, and what is left.
void forEachRowGroup(Emitter &e, int64_t rows,
                     llvm::function_ref<void(mlir::Value row, mlir::Value mask)> body);

class DotStepEmitter {
public:
  /// `isSplit`: the operands in `buffers` are the parts that the pass takes.
  DotStepEmitter(Emitter &e, const DotShape &shape, const DotBuffers &buffers,
                 const DotParts &parts, bool isSplit)
      : e(e), shape(shape), buffers(buffers), parts(parts), isSplit(isSplit) {}

  /// `startsNew`: the first block of k replaces what the output holds; otherwise
  /// it is added like the others. `results` is the same position as `at`, perhaps
  /// in other scalars.
  void emit(const DotPhase &phase, DotPass pass, bool startsNew, const DotPosition &at,
            const DotPosition &results);

private:
  /// What one array does in a step.
  struct Array {
    int64_t kCount;                // rows of the block that take part
    Sum nCount;                    // and columns
    int64_t rhsCount;              // rows of rhs to latch
    Sum lhsRow, rhsRow, outRow;    // the first ones
    llvm::SmallVector<Sum> groups; // rows of each row group
  };
  llvm::SmallVector<Array, 4> place(const DotPhase &phase, const DotPosition &at);
  llvm::SmallVector<Sum> rowGroups(const DotPhase &phase, const Sum &chunk);
  void latch(const DotPhase &phase, llvm::ArrayRef<Array> arrays, DotPass pass);
  mlir::Value weights(const Array &array, int64_t group, DotPass pass);
  void push(llvm::ArrayRef<Array> arrays, DotPass pass, size_t group);
  DotStores stores(const DotPhase &phase, const Sum &depth) const;
  /// `isFirst`: the mask of all cells in the first step over k; null if known.
  void pop(const DotPhase &phase, llvm::ArrayRef<Array> arrays, DotPass pass, DotSums sums,
           mlir::Value isFirst, DotStores stored, size_t group);
  mlir::Value plusSummand(mlir::Value sum, mlir::Value summand);

  Emitter &e;
  const DotShape &shape;
  const DotBuffers &buffers;
  const DotParts &parts;
  bool isSplit;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
