// One step of a product: a block of weights for each array, and the rows that
// stream through them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H

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
};

struct DotBuffers {
  BufferRef lhs, rhs, out;
};

/// What the arrays divide among them in a step.
enum class DotSplit {
  columns, // each has a block of columns of its own
  depth,   // each has a block of k; the results are added
  rows,    // each has rows of its own, and the same weights
};

/// A part of a product that one loop covers: `nCount` blocks (or groups of
/// blocks, one per array) of columns from block `nFirst`, and `mCount` chunks of
/// rows from row `mFirst`. Each array takes up to 8 * `groups` rows of a chunk,
/// which has `rows` rows.
struct DotPhase {
  DotSplit split;
  int arrays;
  int64_t nFirst, nCount;
  int64_t mFirst, mCount, groups, rows;

  int64_t blocksPerStep() const { return split == DotSplit::depth ? arrays : 1; }
};

/// How the results of a step reach the output.
enum class DotSums { replace, add };

/// Where a step is, in counts of the phase's chunks.
struct DotPosition {
  Sum batch, column, chunk, depth;
};

class DotStepEmitter {
public:
  DotStepEmitter(Emitter &e, const DotShape &shape, const DotBuffers &buffers,
                 const DotParts &parts)
      : e(e), shape(shape), buffers(buffers), parts(parts) {}

  /// `startsNew`: the first block of k replaces what the output holds; otherwise
  /// it is added like the others.
  void emit(const DotPhase &phase, DotPass pass, bool startsNew, const DotPosition &at);

private:
  /// What one array does in a step.
  struct Array {
    Sum kBlock, nBlock;              // the last one of k if there is none left
    Sum kCount, nCount;              // of the block's rows and columns that take part
    Sum lhsRow, outRow;              // of the array's first row group
    llvm::SmallVector<int64_t> rows; // of each row group: 1 to 8
  };
  Array place(const DotPhase &phase, int number, const DotPosition &at);
  void latch(const DotPhase &phase, llvm::ArrayRef<Array> arrays, DotPass pass, const Sum &batch);
  mlir::Value weights(const Array &array, int64_t group, DotPass pass, const Sum &batch);
  void push(llvm::ArrayRef<Array> arrays, DotPass pass, size_t group);
  void pop(const DotPhase &phase, llvm::ArrayRef<Array> arrays, DotPass pass, DotSums sums,
           mlir::Value isFirst, size_t group);
  mlir::Value plusSummand(mlir::Value sum, mlir::Value summand);

  Emitter &e;
  const DotShape &shape;
  const DotBuffers &buffers;
  const DotParts &parts;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
