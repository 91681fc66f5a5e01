// One step of a product: tiles of weights for each MXU, and the rows that stream through
// them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotParts.h"
#include "compiler/Model/DotPhases.h"

namespace systole::codegen {

/// How the results of a step are stored to the output.
enum class DotSums {
  replace,
  add,
  start, // replace in the first step over k, add in the others
};

/// The buffers to which the results of a step are stored.
struct DotStores {
  bool sums, rounded;
};

/// The position of a step: its index along each dimension of its phase.
struct DotPosition {
  llvm::ArrayRef<Sum> batch;
  Sum column;
  llvm::ArrayRef<Sum> rows, depth;
  Sum block; // of k
};

/// Runs `body` over `rows` rows, eight at a time, and over the remainder.
void forEachRowGroup(Emitter &e, int64_t rows,
                     llvm::function_ref<void(mlir::Value row, mlir::Value mask)> body);

class DotStepEmitter {
public:
  /// `isSplit`: `buffers` contain the parts that the pass multiplies.
  DotStepEmitter(Emitter &e, const DotShape &shape, const DotBuffers &buffers,
                 const DotParts &parts, bool isSplit)
      : e(e), shape(shape), buffers(buffers), parts(parts), isSplit(isSplit) {}

  /// `startsNew`: the first block of k replaces the output; otherwise it is added
  /// like the others. `results` is the same position as `at`, possibly in other
  /// scalars.
  void emit(const DotPhase &phase, DotPass pass, bool startsNew, const DotPosition &at,
            const DotPosition &results);

private:
  /// Eight rows of lhs and of the result: their offset from the step's first rows, and how many
  /// exist.
  struct Group {
    int64_t lhs, out;
    Sum rows;
  };
  /// The work of one MXU in a step.
  struct MxuWork {
    int64_t kCount;             // used rows of the weights
    Sum nCount;                 // used columns
    int64_t rhsCount;           // rows of rhs to latch
    Sum lhsRow, rhsRow, outRow; // the first rows
    llvm::SmallVector<Group> groups;
  };
  llvm::SmallVector<MxuWork, 4> assignWork(const DotPhase &phase, const DotPosition &at);
  llvm::SmallVector<Group> rowGroups(const DotPhase &phase, const Sum &chunk);
  /// A tile of an MXU's weights: its blocks of k and of columns.
  struct Tile {
    int64_t depth, column;
  };
  void latch(const DotPhase &phase, llvm::ArrayRef<MxuWork> mxus, DotPass pass);
  void latchTile(const DotPhase &phase, llvm::ArrayRef<MxuWork> mxus, const Tile &tile,
                 DotPass pass);
  /// Latches eight rows of a tile, group `group` of it.
  void latchGroup(const DotPhase &phase, llvm::ArrayRef<MxuWork> mxus, const Tile &tile,
                  const Sum &group, DotPass pass);
  int64_t latchedByLoop(llvm::ArrayRef<MxuWork> mxus, const Tile &tile) const;
  mlir::Value latchNumber(const Tile &tile, const Sum &group);
  /// Rows of rhs, relative to the step's first one.
  struct Weights {
    int64_t row, count;
  };
  Weights weightsOf(const MxuWork &mxu, const Tile &tile, int64_t group) const;
  /// `more`: rows behind those of `weights`.
  mlir::Value load(const MxuWork &mxu, const Weights &weights, const Sum &more, DotPass pass);
  void push(const DotPhase &phase, llvm::ArrayRef<MxuWork> mxus, DotPass pass, size_t group);
  DotStores stores(const DotPhase &phase, const DotPosition &at) const;
  /// `isFirst`: a mask of all cells in the first step over k; null if that is static.
  void pop(const DotPhase &phase, llvm::ArrayRef<MxuWork> mxus, DotPass pass, DotSums sums,
           mlir::Value isFirst, DotStores stored, size_t group);
  mlir::Value plusSummand(mlir::Value sum, mlir::Value summand);
  /// The cells of eight rows, of which `rows` exist, in a range of lanes.
  mlir::Value cellsOf(const DotShape::LaneRange &lanes, const Sum &rows);

  Emitter &e;
  const DotShape &shape;
  const DotBuffers &buffers;
  const DotParts &parts;
  bool isSplit;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
