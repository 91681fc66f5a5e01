// One step of a product: a block of weights for each array, and the rows that
// stream through them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H
#define SYSTOLE_COMPILER_CODEGEN_DOTSTEP_H

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotParts.h"
#include "compiler/Codegen/DotPhases.h"

namespace systole::codegen {

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

/// Where a step is: its number along each direction of its phase.
struct DotPosition {
  llvm::ArrayRef<Sum> batch;
  Sum column;
  llvm::ArrayRef<Sum> rows, depth;
  Sum block; // of k
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
  /// Eight rows of lhs and of the result: where they begin, from the step's first ones on, and
  /// how many there are.
  struct Group {
    int64_t lhs, out;
    Sum rows;
  };
  /// What one array does in a step.
  struct Array {
    int64_t kCount;             // rows of the block that take part
    Sum nCount;                 // and columns
    int64_t rhsCount;           // rows of rhs to latch
    Sum lhsRow, rhsRow, outRow; // the first ones
    llvm::SmallVector<Group> groups;
  };
  llvm::SmallVector<Array, 4> place(const DotPhase &phase, const DotPosition &at);
  llvm::SmallVector<Group> rowGroups(const DotPhase &phase, const Sum &chunk);
  void latch(const DotPhase &phase, llvm::ArrayRef<Array> arrays, DotPass pass);
  /// Rows of rhs, from the step's first one on.
  struct Weights {
    int64_t row, count;
  };
  Weights weightsOf(const Array &array, int64_t group) const;
  mlir::Value load(const Array &array, const Weights &weights, DotPass pass);
  void push(llvm::ArrayRef<Array> arrays, DotPass pass, size_t group);
  DotStores stores(const DotPhase &phase, const DotPosition &at) const;
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
