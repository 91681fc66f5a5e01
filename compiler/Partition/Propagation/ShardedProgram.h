// A program with the shardings of its values, which propagation changes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDEDPROGRAM_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDEDPROGRAM_H

#include "compiler/Partition/Propagation/DataFlow.h"
#include "compiler/Partition/Propagation/TensorSharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace systole::partition {

inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";

/// The shardings of a manual computation's operands and results, seen from outside.
struct ManualShardings {
  std::vector<TensorSharding> in, out;
  llvm::SmallVector<llvm::StringRef> axes; ///< that are manual inside
};

class ShardedProgram {
public:
  explicit ShardedProgram(mlir::func::FuncOp main) : main(main) {}

  /// Reads all shardings from attributes.
  mlir::LogicalResult read();
  /// Writes them, closed, and those of the entry's arguments and results and of manual
  /// computations such that they divide evenly.
  void write();

  /// The value that has the sharding of `value`: the owner of its edge, or itself; null for
  /// arguments of regions that nothing flows into.
  mlir::Value holderOf(mlir::Value value) const;
  /// Null if there is none.
  const TensorSharding *shardingOf(mlir::Value value) const;
  void setSharding(mlir::Value value, TensorSharding sharding);
  const TensorSharding *shardingOfResult(size_t number) const;
  void setShardingOfResult(size_t number, TensorSharding sharding) {
    results[number] = std::move(sharding);
  }

  /// The sharding of a manual computation's argument or result on the other side, of which the
  /// sources of its edge are; other values' as it is.
  TensorSharding toSources(mlir::Value owner, const TensorSharding &sharding) const;
  TensorSharding fromSources(mlir::Value owner, const TensorSharding &sharding) const;

  /// Gives the users of a value, but for `constraint`, the result of a constraint behind it.
  mlir::Operation *insertConstraint(mlir::Value value, TensorSharding sharding);

  /// A holder, or the result of the entry of this number.
  struct Place {
    mlir::Value value;
    size_t result = 0;
  };
  TensorSharding &at(Place place);
  void forEachSharding(llvm::function_ref<void(Place place, TensorSharding &sharding)> change);

  mlir::func::FuncOp main;
  DataFlow flow{main->getParentOfType<mlir::ModuleOp>()};
  llvm::DenseMap<mlir::Operation *, ManualShardings> manual;

private:
  mlir::LogicalResult readManual(mlir::Operation *op);
  mlir::LogicalResult readResults(mlir::Operation *op);
  void writeManual(mlir::Operation *op, ManualShardings &own);
  void writeResults(mlir::Operation *op);

  ShardingCoder coder;
  llvm::MapVector<mlir::Value, TensorSharding> shardings; ///< by holder
  std::vector<std::optional<TensorSharding>> results;
};

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDEDPROGRAM_H
