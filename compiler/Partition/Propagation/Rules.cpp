// The sharding rules of operations, as Shardy defines them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Relations/OperandRelation.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/Imported.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

bool isSdy(Operation *op, StringRef name) {
  return isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) && op->getName().stripDialect() == name;
}

/// An operation of CHLO on tensors of one shape, which is elementwise. Shardy sees its expansion,
/// but for erf, which XLA keeps, and of which Shardy knows nothing.
static bool isElementwiseChlo(Operation *op) {
  auto isLikeFirst = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto first = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return tensor && first && tensor.getShape() == first.getShape();
  };
  return op->getName().getDialectNamespace() == "chlo" && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && llvm::all_of(op->getResultTypes(), isLikeFirst) &&
         llvm::all_of(op->getOperandTypes(), isLikeFirst);
}

bool isElementwise(Operation *op) {
  if (auto cast = dyn_cast<BitcastConvertOp>(op))
    return shapeOf(cast.getOperand()) == shapeOf(cast.getResult());
  return kindOf(op) == OpKind::Elementwise || isElementwiseChlo(op) ||
         isSdy(op, "sharding_constraint") || isSdy(op, "reshard");
}

/// The rule of an operation whose operands' indices are iterators. Factors are the iterators, in
/// the order in which `order` has them.
static std::optional<ShardingRule>
ruleOfRelation(Operation *op, function_ref<void(SmallVector<int64_t> &)> order) {
  std::optional<OperandRelation> relation = relationOf(op);
  if (!relation)
    return std::nullopt;
  auto iterators = llvm::to_vector(llvm::seq<int64_t>(0, relation->iterators.size()));
  order(iterators);
  RuleBuilder rule(op);
  for (int64_t number : iterators) {
    const Iterator &iterator = relation->iterators[size_t(number)];
    SmallVector<int64_t> operands, results(op->getNumResults(), RuleBuilder::kNone);
    for (const OperandIndices &operand : relation->operands) {
      operands.push_back(RuleBuilder::kNone);
      for (auto [dim, index] : llvm::enumerate(operand.dims))
        if (auto exact = dyn_cast<AffineDimExpr>(index.expr);
            exact && int64_t(exact.getPosition()) == number)
          operands.back() = int64_t(dim);
    }
    const bool isResult = iterator.kind == IteratorKind::Result;
    if (isResult)
      llvm::fill(results, number);
    rule.add(operands, results, iterator.extent,
             isResult ? FactorKind::PassThrough : FactorKind::Reduction);
  }
  return rule.take();
}

static std::optional<ShardingRule> ruleOfRelation(Operation *op) {
  return ruleOfRelation(op, [](SmallVector<int64_t> &) {});
}

/// Factors in the order of the inputs' dimensions.
static std::optional<ShardingRule> ruleOfReduce(ReduceOp op) {
  auto order = [&](SmallVector<int64_t> &iterators) {
    int64_t kept = 0, reduced = typeOf(op.getResult(0)).getRank();
    for (auto [d, iterator] : llvm::enumerate(iterators))
      iterator = llvm::is_contained(op.getDimensions(), int64_t(d)) ? reduced++ : kept++;
  };
  return ruleOfRelation(op, order);
}

/// The rule of an operation whose tensors all have the shape of the first result.
static std::optional<ShardingRule> ruleOfSameShapes(Operation *op) {
  auto type = op->getNumResults() > 0 ? dyn_cast<ShapedType>(op->getResult(0).getType()) : nullptr;
  if (!type)
    return std::nullopt;
  return RuleBuilder(op).addShape(type.getShape()).take();
}

static ShardingRule ruleOfAllGather(AllGatherOp op) {
  RuleBuilder rule(op);
  const auto dim = size_t(op.getAllGatherDim());
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  for (auto [d, size] : llvm::enumerate(shape))
    if (d != dim)
      rule.addToAll(int64_t(d), size);
  rule.addToOperands(int64_t(dim), shape[dim], FactorKind::NeedReplication);
  rule.addToResults(int64_t(dim), shapeOf(op->getResult(0))[dim], FactorKind::NeedReplication);
  return rule.take();
}

static ShardingRule ruleOfReduceScatter(ReduceScatterOp op) {
  RuleBuilder rule(op);
  const auto dim = size_t(op.getScatterDimension());
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  for (auto [d, size] : llvm::enumerate(shape))
    if (d != dim)
      rule.addToAll(int64_t(d), size);
  rule.addToOperands(int64_t(dim), shape[dim], FactorKind::NeedReplication);
  rule.addToResults(int64_t(dim), shapeOf(op.getResult())[dim], FactorKind::NeedReplication);
  return rule.take();
}

static ShardingRule ruleOfAllToAll(AllToAllOp op) {
  RuleBuilder rule(op);
  const auto split = size_t(op.getSplitDimension()), concat = size_t(op.getConcatDimension());
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)), result = shapeOf(op->getResult(0));
  for (auto [d, size] : llvm::enumerate(shape))
    if (d != split && d != concat)
      rule.addToAll(int64_t(d), size);
  auto add = [&](size_t d) {
    rule.addToOperands(int64_t(d), shape[d], FactorKind::NeedReplication);
    rule.addToResults(int64_t(d), result[d], FactorKind::NeedReplication);
  };
  add(split);
  if (split != concat)
    add(concat);
  return rule.take();
}

/// The dimension that one of the two shapes has more is that of an element's parts.
static ShardingRule ruleOfBitcast(BitcastConvertOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  RuleBuilder rule(op);
  rule.addShape(from.size() < to.size() ? from : to);
  if (from.size() < to.size())
    rule.add({RuleBuilder::kNone}, {int64_t(to.size()) - 1}, to.back(),
             FactorKind::NeedReplication);
  else if (from.size() > to.size())
    rule.add({int64_t(from.size()) - 1}, {RuleBuilder::kNone}, from.back(),
             FactorKind::NeedReplication);
  return rule.take();
}

static ShardingRule ruleOfBatchNorm(BatchNormInferenceOp op) {
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    SmallVector<int64_t> dims(op->getNumOperands(),
                              d == op.getFeatureIndex() ? 0 : RuleBuilder::kNone);
    dims.front() = int64_t(d);
    rule.add(dims, {int64_t(d)}, size);
  }
  return rule.take();
}

/// A dimension of size 1 that is repeated has a factor of its own.
static ShardingRule ruleOfBroadcast(BroadcastInDimOp op) {
  SmallVector<int64_t> sources(size_t(typeOf(op.getResult()).getRank()), RuleBuilder::kNone);
  for (auto [source, target] : llvm::enumerate(op.getBroadcastDimensions()))
    sources[size_t(target)] = int64_t(source);
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    int64_t source = sources[d];
    if (source != RuleBuilder::kNone && typeOf(op.getOperand()).getDimSize(source) != size) {
      rule.add({source}, {RuleBuilder::kNone}, 1);
      source = RuleBuilder::kNone;
    }
    rule.add({source}, {int64_t(d)}, size);
  }
  return rule.take();
}

/// A concatenation of slices moves elements; any other one takes its operands whole.
static ShardingRule ruleOfConcatenate(ConcatenateOp op) {
  auto isSlice = [](Value value) { return value.getDefiningOp<SliceOp>() != nullptr; };
  auto sourceOf = [](Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    return slice ? slice.getOperand() : value;
  };
  Value source = sourceOf(op->getOperand(0));
  const bool isOfOne =
      llvm::all_of(op->getOperands(), [&](Value operand) { return sourceOf(operand) == source; });
  const bool isMove = llvm::all_of(op->getOperands(), isSlice) ||
                      (isOfOne && llvm::any_of(op->getOperands(), isSlice));
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getResult())))
    rule.addToAll(int64_t(d), size,
                  d != op.getDimension() ? FactorKind::PassThrough
                  : isMove               ? FactorKind::Permutation
                                         : FactorKind::NeedReplication);
  return rule.take();
}

static ShardingRule ruleOfDot(DotOp op) {
  constexpr int64_t none = RuleBuilder::kNone;
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  const bool isLhsMatrix = lhs.size() == 2, isRhsMatrix = rhs.size() == 2;
  RuleBuilder rule(op);
  if (isLhsMatrix)
    rule.add({0, none}, {0}, lhs[0]);
  if (isRhsMatrix)
    rule.add({none, 1}, {isLhsMatrix ? 1 : 0}, rhs[1]);
  rule.add({isLhsMatrix ? 1 : 0, 0}, {none}, rhs[0], FactorKind::Reduction);
  return rule.take();
}

static ShardingRule ruleOfReverse(ReverseOp op) {
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getResult())))
    rule.addToAll(int64_t(d), size,
                  llvm::is_contained(op.getDimensions(), int64_t(d)) ? FactorKind::Permutation
                                                                     : FactorKind::PassThrough);
  return rule.take();
}

/// The state is whole, and none follows from the other.
static ShardingRule ruleOfRandomBits(RngBitGeneratorOp op) {
  constexpr int64_t none = RuleBuilder::kNone;
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getInitialState())))
    rule.add({int64_t(d)}, {int64_t(d), none}, size, FactorKind::NeedReplication,
             /*isBlocked=*/true);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOutput())))
    rule.add({none}, {none, int64_t(d)}, size);
  return rule.take();
}

/// The sorted dimension is taken whole. It may be divided along others before, if there are any.
static ShardingRule ruleOfSort(SortOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const auto sorted = size_t(op.getSortedDimension());
  RuleBuilder rule(op);
  bool isAlone = true;
  for (auto [d, size] : llvm::enumerate(shape))
    isAlone &= d == sorted || size == 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (d == sorted)
      rule.addToAll(int64_t(d), size, FactorKind::NeedReplication, isAlone);
    else
      rule.addToAll(int64_t(d), size);
  }
  return rule.take();
}

/// Along the dimension of which the largest are taken nothing is propagated.
static std::optional<ShardingRule> ruleOfTopK(Operation *op) {
  return RuleBuilder(op)
      .addShapes(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)), FactorKind::NeedReplication,
                 /*isBlocked=*/true)
      .take();
}

static std::optional<ShardingRule> ruleOfKind(Operation *op) {
  using Rule = std::optional<ShardingRule>;
  return llvm::TypeSwitch<Operation *, Rule>(op)
      .Case<DotGeneralOp, TransposeOp>([](auto op) { return ruleOfRelation(op); })
      .Case<ReduceOp>(ruleOfReduce)
      .Case<AllReduceOp, CollectiveBroadcastOp, CollectivePermuteOp, CrossReplicaSumOp>(
          [](auto op) { return ruleOfSameShapes(op); })
      .Case<AllGatherOp>(ruleOfAllGather)
      .Case<ReduceScatterOp>(ruleOfReduceScatter)
      .Case<AllToAllOp>(ruleOfAllToAll)
      .Case<BitcastConvertOp>(ruleOfBitcast)
      .Case<BatchNormInferenceOp>(ruleOfBatchNorm)
      .Case<BroadcastInDimOp>(ruleOfBroadcast)
      .Case<CholeskyOp>(ruleOfCholesky)
      .Case<ConcatenateOp>(ruleOfConcatenate)
      .Case<ConvolutionOp>(ruleOfConvolution)
      .Case<CustomCallOp>(ruleOfCustomCall)
      .Case<DotOp>(ruleOfDot)
      .Case<DynamicSliceOp>([](auto op) -> Rule {
        return RuleBuilder(op)
            .addShapes(shapeOf(op.getOperand()), shapeOf(op.getResult()),
                       FactorKind::NeedReplication, /*isBlocked=*/true)
            .take();
      })
      .Case<DynamicUpdateSliceOp>(ruleOfDynamicUpdateSlice)
      .Case<FftOp>(ruleOfFft)
      .Case<GatherOp>(ruleOfGather)
      .Case<PadOp, SliceOp>([](auto op) -> Rule {
        return RuleBuilder(op)
            .addShapes(shapeOf(op.getOperand()), shapeOf(op.getResult()), FactorKind::Permutation,
                       /*isBlocked=*/false)
            .take();
      })
      .Case<ReduceWindowOp>(ruleOfReduceWindow)
      .Case<ReshapeOp>(ruleOfReshape)
      .Case<ReverseOp>(ruleOfReverse)
      .Case<RngBitGeneratorOp>(ruleOfRandomBits)
      .Case<ScatterOp>(ruleOfScatter)
      .Case<SelectAndScatterOp>(ruleOfSelectAndScatter)
      .Case<SortOp>(ruleOfSort)
      .Case<TriangularSolveOp>(ruleOfTriangularSolve)
      .Default([](Operation *op) -> Rule {
        StringRef name = op->getName().getStringRef();
        // Shardy has no rule for these. XLA keeps erf.
        if (name == "chlo.erf" || isa<UniformQuantizeOp, UniformDequantizeOp>(op))
          return std::nullopt;
        if (isSdy(op, "sharding_constraint") || isElementwiseChlo(op))
          return ruleOfSameShapes(op);
        if (name == "chlo.top_k")
          return ruleOfTopK(op);
        if (kindOf(op) != OpKind::Elementwise)
          return std::nullopt;
        return ruleOfRelation(op);
      });
}

std::optional<ShardingRule> ruleOf(Operation *op) {
  if (Attribute own = op->getAttr(kShardingRuleAttr))
    return ShardingRule::decode(own);
  return ruleOfKind(op);
}

} // namespace systole::partition
