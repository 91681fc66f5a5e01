// Sharding rules of custom calls, by their target.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static constexpr int64_t kNone = RuleBuilder::kNone;

/// Targets whose operands and results have one shape and are divided alike.
static bool isAlike(StringRef target) {
  static const llvm::StringSet<> targets{"annotate_device_placement",
                                         "Cholesky",
                                         "CompactWyHelper",
                                         "InspectSharding",
                                         "InvertDiagBlocksLowerTriangular",
                                         "InvertDiagBlocksUpperTriangular",
                                         "LayoutConstraint",
                                         "mhlo.erf",
                                         "MoveToDevice",
                                         "MoveToHost",
                                         "X64SplitHigh",
                                         "X64SplitLow",
                                         "xla.megascale.provide_metadata",
                                         "_SPMDInternalOp_MultiPad",
                                         "_SPMDInternalOp_RotateRight",
                                         "_SPMDInternalOp_MultiRotate",
                                         "_SPMDInternalOp_MultiSlice",
                                         "_SPMDInternalOp_Wrap"};
  return targets.contains(target);
}

/// Eigenvectors have the matrix's dimensions, eigenvalues its columns.
static ShardingRule ruleOfEigh(CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const auto row = int64_t(shape.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .addShape(shape.drop_back(2))
      .add({row}, {row, kNone}, shape[size_t(row)])
      .add({column}, {column, row}, shape[size_t(column)])
      .take();
}

static ShardingRule ruleOfQr(CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)), taus = shapeOf(op->getResult(1));
  const auto row = int64_t(shape.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .addShape(shape.drop_back(2))
      .add({row}, {row, kNone}, shape[size_t(row)], FactorKind::NeedReplication)
      .add({column}, {column, kNone}, shape[size_t(column)], FactorKind::NeedReplication)
      .add({kNone}, {kNone, row}, taus[size_t(row)], FactorKind::NeedReplication)
      .take();
}

static ShardingRule ruleOfHouseholder(CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)), taus = shapeOf(op->getOperand(1));
  const auto row = int64_t(shape.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .addShape(shape.drop_back(2))
      .add({row, kNone}, {row}, shape[size_t(row)], FactorKind::NeedReplication)
      .add({column, kNone}, {column}, shape[size_t(column)], FactorKind::NeedReplication)
      .add({kNone, row}, {kNone}, taus[size_t(row)], FactorKind::NeedReplication)
      .take();
}

/// Operands are values and their indices, and a scalar for each.
static ShardingRule ruleOfApproximateTopK(CustomCallOp op) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)), result = shapeOf(op->getResult(0));
  for (auto [number, size, kept] : llvm::enumerate(shape, result)) {
    const auto d = int64_t(number);
    if (size == kept) {
      rule.addToAll(d, size);
      continue;
    }
    rule.add({d, d, kNone, kNone}, {kNone, kNone}, size);
    rule.add({kNone, kNone, kNone, kNone}, {d, d}, kept, FactorKind::NeedReplication,
             /*isBlocked=*/true);
  }
  return rule.take();
}

/// The two halves of integers are divided alike, but for the state of a random generator.
static ShardingRule ruleOfCombination(CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  RuleBuilder rule(op);
  const bool isState =
      llvm::any_of(op->getUsers(), [](Operation *user) { return isa<RngBitGeneratorOp>(user); });
  if (isState)
    rule.addToAll(0, shape.front(), FactorKind::NeedReplication, /*isBlocked=*/true);
  else
    rule.addShape(shape);
  return rule.take();
}

std::optional<ShardingRule> ruleOfCustomCall(CustomCallOp op) {
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  StringRef target = op.getCallTargetName();
  const size_t operands = op->getNumOperands(), results = op->getNumResults();
  if (results == 0 || !llvm::all_of(op->getResultTypes(), isTensor) ||
      !llvm::all_of(op->getOperandTypes(), isTensor))
    return std::nullopt;
  if (isAlike(target))
    return RuleBuilder(op).addShape(shapeOf(op->getResult(0))).take();
  if (target == "Eigh" && operands == 1 && results == 2)
    return ruleOfEigh(op);
  if ((target == "Qr" || target == "QrDecompositionBlock") && operands == 1 && results == 2)
    return ruleOfQr(op);
  if (target == "ProductOfElementaryHouseholderReflectors" && operands == 2)
    return ruleOfHouseholder(op);
  if (target == "mhlo.topk" && operands == 1)
    return RuleBuilder(op)
        .addShapes(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)),
                   FactorKind::NeedReplication, /*isBlocked=*/true)
        .take();
  if ((target == "ApproxTopK" || target == "PartialReduce") && operands == 4 && results == 2)
    return ruleOfApproximateTopK(op);
  if (target == "X64Combine")
    return ruleOfCombination(op);
  return std::nullopt;
}

} // namespace systole::partition
