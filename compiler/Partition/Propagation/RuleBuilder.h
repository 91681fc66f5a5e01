// Builds a sharding rule factor by factor, and the rules of kinds of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_RULEBUILDER_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_RULEBUILDER_H

#include "compiler/Partition/Propagation/ShardingRule.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole::partition {

enum class FactorKind { PassThrough, Reduction, NeedReplication, Permutation };

class RuleBuilder {
public:
  /// For tensors of the operation's types; others have rank 0.
  explicit RuleBuilder(mlir::Operation *op)
      : RuleBuilder(op->getOperandTypes(), op->getResultTypes()) {}
  RuleBuilder(mlir::TypeRange operands, mlir::TypeRange results);

  /// In place of a dimension of a tensor that does not have the factor.
  static constexpr int64_t kNone = -1;

  /// A factor of one dimension of each operand and result, or of none. One of size 1 is no factor
  /// of dimensions that have another one.
  RuleBuilder &add(llvm::ArrayRef<int64_t> operandDims, llvm::ArrayRef<int64_t> resultDims,
                   int64_t size, FactorKind kind = FactorKind::PassThrough, bool isBlocked = false);
  /// A factor of dimension `dim` of all tensors but those of rank 0.
  RuleBuilder &addToAll(int64_t dim, int64_t size, FactorKind kind = FactorKind::PassThrough,
                        bool isBlocked = false);
  RuleBuilder &addToOperands(int64_t dim, int64_t size, FactorKind kind);
  RuleBuilder &addToResults(int64_t dim, int64_t size, FactorKind kind);
  /// A factor of all tensors for each dimension of a shape.
  RuleBuilder &addShape(llvm::ArrayRef<int64_t> shape);
  /// The same, of another kind for dimensions in which `result` has another size.
  RuleBuilder &addShapes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> result,
                         FactorKind kind, bool isBlocked);

  /// The rule. Dimensions without a factor get one of size 1.
  ShardingRule take();

private:
  int64_t factor(int64_t size, FactorKind kind, bool isBlocked);
  static void addToEach(llvm::MutableArrayRef<TensorFactorsOfDims> tensors, int64_t dim,
                        int64_t factor);

  ShardingRule rule;
};

/// Gathers, scatters, and slices at computed positions (IndexedRules.cpp).
ShardingRule ruleOfGather(stablehlo::GatherOp op);
ShardingRule ruleOfScatter(stablehlo::ScatterOp op);
ShardingRule ruleOfDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op);
/// Convolutions and windows (WindowRules.cpp).
ShardingRule ruleOfConvolution(stablehlo::ConvolutionOp op);
ShardingRule ruleOfReduceWindow(stablehlo::ReduceWindowOp op);
ShardingRule ruleOfSelectAndScatter(stablehlo::SelectAndScatterOp op);
/// Nothing for a reshape of no elements (ReshapeRule.cpp).
std::optional<ShardingRule> ruleOfReshape(stablehlo::ReshapeOp op);
/// Nothing for targets that are not known (CustomCallRules.cpp).
std::optional<ShardingRule> ruleOfCustomCall(stablehlo::CustomCallOp op);
/// Factorizations and transforms of matrices (LinearAlgebraRules.cpp).
ShardingRule ruleOfCholesky(stablehlo::CholeskyOp op);
ShardingRule ruleOfTriangularSolve(stablehlo::TriangularSolveOp op);
ShardingRule ruleOfFft(stablehlo::FftOp op);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_RULEBUILDER_H
