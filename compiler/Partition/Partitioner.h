// Rewrites a sharded program, operation by operation, as that of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PARTITIONER_H
#define SYSTOLE_COMPILER_PARTITION_PARTITIONER_H

#include "compiler/Model/SliceModel.h"
#include "compiler/Partition/Mesh.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace systole::partition {

class Partitioner {
public:
  /// Without `divideOperations` each core executes operations outside of manual computations on
  /// whole arrays.
  Partitioner(mlir::ModuleOp module, int64_t cores, bool divideOperations, const SliceModel &model)
      : module(module), cores(cores), divideOperations(divideOperations), model(model) {}

  mlir::LogicalResult run();

  /// Operations that each core executes on arrays that are whole in a dimension in which they are
  /// divided.
  llvm::ArrayRef<std::pair<mlir::Location, mlir::StringRef>> fallbacks() const { return whole; }

private:
  /// A value of the program that cores have in parts.
  struct Parts {
    MeshSharding sharding;
    mlir::Value part;
    mlir::RankedTensorType whole;
    /// Its parts in other shardings, once something needs them.
    llvm::SmallVector<std::pair<MeshSharding, mlir::Value>> reshards = {};
  };

  mlir::FailureOr<MeshSharding> decode(mlir::Operation *op, mlir::Attribute attribute,
                                       mlir::Type type) const;
  mlir::LogicalResult takeArguments(mlir::func::FuncOp main);
  mlir::LogicalResult takeResults(mlir::func::FuncOp main);
  mlir::LogicalResult divideBlock(mlir::Block &block);
  /// Its body takes the place of a manual computation.
  mlir::LogicalResult inlineManual(mlir::Operation *op);
  mlir::LogicalResult divideControl(mlir::Operation *op);
  /// Each result has the parts of its operand.
  void divideBarrier(mlir::Operation *op);
  mlir::LogicalResult divide(mlir::Operation *op);

  /// The shardings of an operation's results; nothing for those that have none.
  /// Dimensions are divided along their major axes, as far as each part has elements.
  llvm::SmallVector<std::optional<MeshSharding>> shardingsOfResults(mlir::Operation *op) const;
  /// `value`, of whole type, becomes a name of parts.
  void setParts(mlir::Value value, const MeshSharding &sharding, mlir::Value part) {
    divided.insert(
        {value, Parts{sharding, part, llvm::cast<mlir::RankedTensorType>(value.getType())}});
  }
  /// Gives a block argument or result the type of parts, and what reads it a name of the whole.
  void divideInPlace(mlir::Value value, const MeshSharding &sharding, mlir::Type part);
  const Parts *partsOf(mlir::Value value) const;
  /// `value` as a whole, and each core's part of it, for `user`.
  mlir::Value wholeOf(mlir::Operation *user, mlir::Value value);
  mlir::Value partOf(mlir::Operation *user, mlir::Value value, const MeshSharding &sharding);
  /// Notes that cores execute an operation on whole arrays.
  void noteWhole(mlir::Operation *op) {
    whole.emplace_back(op->getLoc(), op->getName().getStringRef());
  }
  /// The operands of an operation as wholes.
  void takeWholes(mlir::Operation *op);
  /// Lets what still reads values in parts read their wholes.
  void replaceUses();
  mlir::Attribute divisionOf(mlir::RankedTensorType whole, const MeshSharding *sharding);

  mlir::ModuleOp module;
  int64_t cores;
  bool divideOperations;
  const SliceModel &model;
  llvm::MapVector<mlir::Value, Parts> divided;
  llvm::SmallVector<mlir::Operation *> replaced; ///< whose results are names of parts
  /// The operations of fallbacks(), whose names the context has.
  llvm::SmallVector<std::pair<mlir::Location, mlir::StringRef>> whole;
};

/// What constrains a value, and nothing else.
mlir::LogicalResult dropConstraint(mlir::Operation *op);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PARTITIONER_H
