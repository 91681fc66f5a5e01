// How the dimensions of an operation's operands and results correspond.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDINGRULE_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDINGRULE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace systole::partition {

/// Of each dimension of a tensor its factors, the major one first.
using DimFactors = llvm::SmallVector<int64_t, 2>;
using TensorFactorsOfDims = llvm::SmallVector<DimFactors>;

/// A rule names factors of the dimensions of operands and results: what is divided along a factor
/// in one tensor can be divided along it in the others.
struct ShardingRule {
  llvm::SmallVector<int64_t> sizes; ///< by factor
  llvm::SmallVector<TensorFactorsOfDims> operands, results;
  llvm::SmallVector<int64_t> reduction;       ///< whose parts are terms of the result
  llvm::SmallVector<int64_t> needReplication; ///< that the operation takes whole
  llvm::SmallVector<int64_t> permutation;     ///< whose parts are in other places of the result
  llvm::SmallVector<int64_t> blocked;         ///< along which nothing is propagated
  bool isCustom = false;

  bool isPassThrough(int64_t factor) const {
    return !llvm::is_contained(reduction, factor) && !llvm::is_contained(needReplication, factor) &&
           !llvm::is_contained(permutation, factor);
  }
  bool isBlocked(int64_t factor) const { return llvm::is_contained(blocked, factor); }

  mlir::Attribute encode(mlir::MLIRContext *context) const;
  /// Of a verified attribute; nothing for others.
  static std::optional<ShardingRule> decode(mlir::Attribute attribute);
};

inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";

/// The rule of an operation, its own or that of its kind; nothing if it has none.
std::optional<ShardingRule> ruleOf(mlir::Operation *op);

/// The rule between `operands` tensors of a shape and one result.
ShardingRule identityRule(llvm::ArrayRef<int64_t> shape, size_t operands);

/// Whether each element of the results depends on the operands' elements at its index.
bool isElementwise(mlir::Operation *op);

/// Whether `op` is the operation of Shardy of this name.
bool isSdy(mlir::Operation *op, llvm::StringRef name);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_SHARDINGRULE_H
