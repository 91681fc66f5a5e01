// Propagation through a program until nothing changes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROPAGATOR_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROPAGATOR_H

#include "compiler/Partition/Propagation/FactorPropagation.h"
#include "compiler/Partition/Propagation/Preparation.h"

namespace systole::partition {

/// Where axes may pass through an operation along a factor of its rule, which is null for data
/// flow; `isSingleUse` says that no operand has other users.
using OpDirectionOf = llvm::function_ref<Direction(mlir::Operation *op, const ShardingRule *rule,
                                                   int64_t factor, bool isSingleUse)>;

/// Visits operations and edges of data flow, those again whose neighbours have changed. The order
/// is Shardy's: where two shardings are in conflict it decides which of them wins.
class Propagator {
public:
  Propagator(ShardedProgram &program, const ShardingGroups &groups);

  void run(OpDirectionOf directionOf);

private:
  /// An operation, or the edge that a value owns.
  struct Node {
    mlir::Operation *op;
    mlir::Value edge;
    bool isErased = false; ///< an operation without users and effects
  };
  /// A tensor that takes part in a step, and where its sharding is.
  struct Tensor {
    mlir::Value value;
    std::optional<TensorSharding> sharding;
    std::function<void(TensorSharding)> set;
    bool isEntryResult = false;
  };

  void number(mlir::Operation *op);
  const ShardingRule *cachedRuleOf(mlir::Operation *op);
  bool isErased(mlir::Operation *op) const;
  bool isDead(const Node &node) const;
  bool hasOtherUses(mlir::Value value) const;

  void visit(size_t node);
  void visitOp(mlir::Operation *op);
  void visitEdge(mlir::Value owner);
  void visitEntryResults();
  void step(llvm::MutableArrayRef<Tensor> tensors, size_t operands, const ShardingRule &rule,
            DirectionOf directionOf, bool isElementwise);
  Tensor tensorOf(mlir::Value value);
  void update(Tensor &tensor, const TensorSharding &sharding);

  void push(size_t node);
  void pushOp(mlir::Operation *op);
  void pushUsers(mlir::Value value, bool isEdge);
  void pushNeighbours(mlir::Value holder);
  void erase(Node &node);

  ShardedProgram &program;
  const ShardingGroups &groups;
  OpDirectionOf directionOf = nullptr;

  llvm::SmallVector<Node> nodes; ///< in the order of the program, outer ones first
  llvm::DenseMap<mlir::Operation *, size_t> nodeOfOp;
  llvm::DenseMap<mlir::Value, size_t> nodeOfEdge;
  llvm::DenseMap<mlir::Operation *, size_t> ends; ///< the order in which operations end
  llvm::DenseMap<mlir::Operation *, std::optional<ShardingRule>> rules;

  llvm::SmallVector<size_t> worklist; ///< the last one comes first
  llvm::BitVector isWaiting;
  std::optional<size_t> current; ///< what is visited is not pushed again
};

/// Propagates by priorities: those that users give to dimensions first, and within each those of
/// operations, from ones that keep elements in their places to any.
void propagateByPriority(ShardedProgram &program, const ShardingGroups &groups);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROPAGATOR_H
