// Which tensors have several rows side by side in each row of 128 lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_ROWTILES_H
#define SYSTOLE_COMPILER_LAYOUT_ROWTILES_H

#include "compiler/Model/MachineModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace systole {

/// Positions of the second-last dimension that fill a row together; 1 if they cannot.
int64_t positionsInRow(mlir::RankedTensorType type);

/// The same elements in full rows: tensor<64x56x56x64xf32> is tensor<64x56x28x128xf32>.
mlir::RankedTensorType tiledType(mlir::RankedTensorType type);

/// The operand or result of `op` with the most rows, whose tile is that of all.
mlir::Value tileOwner(mlir::Operation *op);

/// Whether `op` computes tiled results from tiled operands as it computes results from operands.
bool keepsTile(mlir::Operation *op);

/// Whether rows of a broadcast differ, but not the elements of each.
bool differsByRow(mlir::Operation *op);

/// The tensors of a function that are tiled. Those that share rows by elementwise work, movement
/// of rows, or control flow are tiled together or not at all, whatever takes fewer cycles of HBM
/// and of rearranging rows in kernels.
class RowTiles {
public:
  RowTiles(mlir::func::FuncOp function, const MachineModel &model);
  bool isTiled(mlir::Value value) const;

private:
  /// Cycles, outside of loops and in each level of them.
  using Cycles = llvm::SmallVector<double, 4>;

  /// Tensors that are tiled together, and what either form costs.
  struct Group {
    Cycles tiled, plain;
    bool isTiled() const;
  };

  void collect(mlir::Value value);
  void link(mlir::Value a, mlir::Value b);
  void linkAcross(mlir::Operation *op);
  int find(mlir::Value value) const;
  void addCost(mlir::Value value);

  /// To read or write a tensor, and to rearrange its rows.
  double moving(mlir::RankedTensorType type) const;
  double rearranging(mlir::RankedTensorType type) const;

  const MachineModel &model;
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, int> numbers;
  std::vector<int> leaders; ///< of each value another one of its group, or itself
  std::vector<Group> groups;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_ROWTILES_H
