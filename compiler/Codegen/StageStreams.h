// The stages of a kernel that may run a step of the grid ahead of the others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_STAGESTREAMS_H
#define SYSTOLE_COMPILER_CODEGEN_STAGESTREAMS_H

#include "compiler/Codegen/Machine.h"
#include "dialects/Kernel/InPlace.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace systole::codegen {

/// Whether the block that an operand's map selects changes over the grid of its kernel.
struct BlockChanges {
  bool some = false, always = false; ///< in some step, in every step
};
BlockChanges changesOf(mlir::AffineMap map, llvm::ArrayRef<int64_t> grid);

/// While the stages behind work on a step, those ahead work on the next one.
class StageStreams {
public:
  enum Side { behind, ahead };

  /// If it may, divides the stages of a kernel so that products run beside as much of the other
  /// work as possible; all are behind if nothing is gained.
  StageStreams(kernel::FuncOp kernel, const Machine &machine, bool mayDivide);

  bool isDivided() const { return divided; }
  /// Operations without a side, such as views, belong to both.
  bool isOn(mlir::Operation *op, Side side) const;
  /// Whether only one side uses `buffer`, an allocation or an operand of the kernel.
  bool isOnlyOn(mlir::Value buffer, Side side) const;
  /// Whether stages ahead write `buffer` for those behind.
  bool isHandedOn(mlir::Value buffer) const;

private:
  struct Uses {
    bool reads[2] = {false, false}, writes[2] = {false, false};
    bool on(Side side) const { return reads[side] || writes[side]; }
  };
  struct Stage {
    mlir::Operation *op;
    llvm::SmallVector<mlir::Value> reads, writes;
    bool isProduct = false;
    double cycles = 0; // about as many
    Side side = behind;
  };

  bool collect(const Machine &machine);
  /// Puts ahead the products and what they need, or only what they need.
  bool divide(bool withProducts);
  bool isLegal(mlir::Value buffer, const Uses &uses) const;
  /// Whether stages ahead write an operand over one that stages behind still read.
  bool isWrittenEarly(mlir::Value buffer, llvm::MapVector<mlir::Value, Uses> &current) const;
  llvm::MapVector<mlir::Value, Uses> usesOf() const;
  /// Cycles of a step in which products run beside other stages, if these fill all gaps.
  double hiddenCycles() const;

  mutable kernel::FuncOp kernel;
  llvm::SmallVector<Stage> stages;
  llvm::DenseMap<mlir::Operation *, Side> sides;
  llvm::MapVector<mlir::Value, Uses> uses;
  bool divided = false;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_STAGESTREAMS_H
