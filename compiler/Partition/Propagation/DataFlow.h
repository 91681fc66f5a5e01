// Values that data flow makes one: results of control flow and what its regions give and take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_DATAFLOW_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_DATAFLOW_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace systole::partition {

/// The owner is a result of an operation, or an argument of a manual computation. It and the
/// targets are divided alike; the sources flow into them.
struct DataFlowEdge {
  mlir::Operation *op;
  llvm::SmallVector<mlir::OpOperand *> sources;
  llvm::SmallVector<mlir::Value> targets; ///< but for the owner: arguments of a loop's regions
};

class DataFlow {
public:
  /// The edges of while, case, optimization barriers and manual computations. Values without a
  /// static shape have none.
  explicit DataFlow(mlir::ModuleOp module);

  /// The edge that a value owns; null if it owns none.
  const DataFlowEdge *edgeOf(mlir::Value owner) const;
  /// The owner of the edge of which a value is a target, or a use a source; null if there is none.
  mlir::Value ownerOf(mlir::Value target) const { return owners.lookup(target); }
  mlir::Value ownerOf(mlir::OpOperand &source) const { return ownersOfSources.lookup(&source); }

private:
  void add(mlir::Value owner, DataFlowEdge edge);
  void addManualComputation(mlir::Operation *op);

  llvm::MapVector<mlir::Value, DataFlowEdge> edges;
  llvm::DenseMap<mlir::Value, mlir::Value> owners;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> ownersOfSources;
};

/// Whether a type is one that shardings divide.
bool isStaticTensor(mlir::Type type);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_DATAFLOW_H
