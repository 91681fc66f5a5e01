// Applies a reduction's combiner to vectors: pairwise, across sublanes, across
// lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COMBINER_H
#define SYSTOLE_COMPILER_CODEGEN_COMBINER_H

#include "compiler/Codegen/Body.h"

namespace systole::codegen {

/// The accumulators of a reduction's outputs, one vector (a mask for i1) each.
using Values = llvm::SmallVector<mlir::Value, 2>;

/// Combiners that the cross-lane unit implements.
enum class LaneReduction { none, add, mul, min, max, bitAnd, bitOr, bitXor };

class Combiner {
public:
  Combiner(kernel::ReduceOp op, Body &body);

  /// Combines `a` and `b`, in that order; keeps `a` where `valid` (null: everywhere) is clear.
  /// After a reported failure returns `a` and sets hasFailed.
  Values combine(const Values &a, const Values &b, mlir::Value valid = nullptr) {
    return combine(block, a, b, valid);
  }
  /// The same if every element of `b` comes after those in `a`.
  Values append(const Values &a, const Values &b, mlir::Value valid) {
    return combine(ascending.empty() ? block : ascending.front(), a, b, valid);
  }
  /// Combines the first `count` sublanes into sublane 0, at distances 4, 2, 1.
  Values overSublanes(Values values, int64_t count);
  /// Combines the first `count` lanes into every lane, at distances 64 to 1.
  Values overLanes(Values values, int64_t count);

  bool hasFailed = false;

private:
  Values combine(mlir::Block &how, const Values &a, const Values &b, mlir::Value valid);
  LaneReduction unitFor(mlir::Operation *combiner, mlir::Type element) const;
  mlir::Value overLanesByUnit(mlir::Value value, size_t output, int64_t count);
  /// Converts to 32-bit cells that the cross-lane unit can move, and back.
  mlir::Value toCells(mlir::Value value, size_t output);
  mlir::Value fromCells(mlir::Value cells, size_t output);
  mlir::Value select(mlir::Value mask, mlir::Value a, mlir::Value b);

  mlir::Block &block;
  /// The combiner for arguments in ascending order; empty if it does not depend on their order.
  mlir::Region ascending;
  Body &body;
  Emitter &e;
  llvm::SmallVector<mlir::Type> elements; // by output
  /// The cross-lane unit's operation for each output; none if it cannot combine all of them.
  llvm::SmallVector<LaneReduction, 2> units;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COMBINER_H
