// How an operation is divided among cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/OperationDivision.h"

#include "compiler/Partition/PaddedParts.h"
#include "compiler/Partition/ReshardPlan.h"
#include "compiler/Partition/Terms.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

namespace {

/// Gives factors their axes, one tensor after the other.
class FactorAxes {
public:
  FactorAxes(Operation *op, const ShardingRule &rule)
      : op(op), rule(rule), chosen(rule.sizes.size()) {}

  enum class Kinds { PassThrough, Reductions, Both };

  void take(const TensorFactorsOfDims &dims, const Sharding *sharding, Kinds kinds) {
    if (!sharding || sharding->dims.size() != dims.size())
      return;
    for (auto [factor, axes] : llvm::enumerate(byFactor(dims, *sharding))) {
      const auto number = int64_t(factor);
      const bool isReduction = llvm::is_contained(rule.reduction, number);
      const bool isWanted = (kinds != Kinds::PassThrough && isReduction) ||
                            (kinds != Kinds::Reductions && rule.isPassThrough(number));
      if (!isWanted || !chosen[factor].empty() || haveCommonAxis(axes, used))
        continue;
      chosen[factor] = axes;
      llvm::append_range(used, axes);
    }
  }

  void take(ArrayRef<TensorFactorsOfDims> tensors, ArrayRef<const Sharding *> shardings,
            Kinds kinds) {
    for (auto [dims, sharding] : llvm::zip(tensors, shardings))
      take(dims, sharding, kinds);
  }

  SmallVector<Axes> result() && { return std::move(chosen); }

  /// Whether a tensor is divided along factors that the operation needs whole.
  bool hasIndivisible(const TensorFactorsOfDims &dims, const Sharding *sharding) const {
    if (!sharding || sharding->dims.size() != dims.size())
      return false;
    return llvm::any_of(llvm::enumerate(byFactor(dims, *sharding)), [&](auto axes) {
      const auto factor = int64_t(axes.index());
      return !axes.value().empty() && !rule.isPassThrough(factor) &&
             !llvm::is_contained(rule.reduction, factor);
    });
  }

  static bool haveCommonAxis(ArrayRef<AxisPart> a, ArrayRef<AxisPart> b) {
    return llvm::any_of(a, [&](const AxisPart &x) {
      return llvm::any_of(b, [&](const AxisPart &y) { return x.name == y.name; });
    });
  }

private:
  /// The axes of a tensor's dimensions by factor, as far as each factor takes whole axes. Behind a
  /// factor that is not wholly divided there are none: parts are contiguous. A factor that may have
  /// padding takes all.
  SmallVector<Axes> byFactor(const TensorFactorsOfDims &dims, const Sharding &sharding) const {
    SmallVector<Axes> result(rule.sizes.size());
    for (auto [factors, axes] : llvm::zip(dims, sharding.dims)) {
      size_t next = 0;
      for (int64_t factor : factors) {
        const int64_t size = rule.sizes[size_t(factor)];
        Axes &own = result[size_t(factor)];
        auto takes = [&](int64_t parts) {
          return size % parts == 0 || (isDividedInto(size, parts) && canPad(op, rule, factor));
        };
        while (next < axes.size() && takes(partsOf(own) * axes[next].size))
          own.push_back(axes[next++]);
        if (partsOf(own) != size)
          break;
      }
    }
    return result;
  }

  Operation *op;
  const ShardingRule &rule;
  SmallVector<Axes> chosen;
  Axes used;
};

/// The division of a tensor that has these factors in its dimensions.
Sharding shardingAlong(ArrayRef<Axes> axesOfFactors, const TensorFactorsOfDims &dims) {
  Sharding sharding;
  for (const DimFactors &factors : dims) {
    auto &list = sharding.dims.emplace_back();
    for (int64_t factor : factors)
      llvm::append_range(list, axesOfFactors[size_t(factor)]);
  }
  return sharding;
}

/// Makes results terms along the axes of reductions, and of those that they are given as terms of,
/// as far as operands can be.
void setTerms(OperationDivision &division, Operation *op, const ShardingRule &rule,
              const GivenShardings &given) {
  Axes summed;
  for (int64_t factor : rule.reduction)
    llvm::append_range(summed, division.factors[size_t(factor)]);
  if (!isSum(op))
    division.reduced = std::exchange(summed, {});
  // One core alone adds the initial value.
  if (!summed.empty())
    for (unsigned start : initialOperands(op))
      division.operands[start].unreduced = summed;
  Axes passed;
  for (const Sharding *sharding : given.results)
    if (sharding && passed.empty())
      llvm::copy_if(sharding->unreduced, std::back_inserter(passed),
                    [&](const AxisPart &axis) { return !llvm::is_contained(summed, axis); });
  const bool isFree = llvm::none_of(
      division.factors, [&](const Axes &axes) { return FactorAxes::haveCommonAxis(axes, passed); });
  if (!passed.empty() && isFree)
    if (const SmallVector<unsigned> numbers = operandsOfTerms(op, given.operands, passed);
        !numbers.empty()) {
      for (unsigned number : numbers)
        llvm::append_range(division.operands[number].unreduced, passed);
      llvm::append_range(summed, passed);
    }
  for (Sharding &result : division.results)
    result.unreduced = summed;
}

OperationDivision divisionAlong(Operation *op, const ShardingRule &rule, SmallVector<Axes> factors,
                                const GivenShardings &given) {
  OperationDivision division;
  division.factors = std::move(factors);
  division.isIndivisible = clearIndivisible(op, rule, division.factors);
  for (const TensorFactorsOfDims &dims : rule.operands)
    division.operands.push_back(shardingAlong(division.factors, dims));
  for (const TensorFactorsOfDims &dims : rule.results)
    division.results.push_back(shardingAlong(division.factors, dims));
  setTerms(division, op, rule, given);
  return division;
}

/// The cycles of a division.
double costOf(Operation *op, const ShardingRule &rule, const OperationDivision &division,
              const GivenShardings &given, const SliceModel &model) {
  double cost = 0;
  auto add = [&](Type type, const Sharding &from, const Sharding &to, const Sharding &part) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    const ReshardTraffic traffic = reshardTraffic(tensor, from, to);
    cost += model.link(double(traffic.bytes));
    cost += model.emptyCollective() * double(traffic.collectives);
    cost += model.hbm(double(partBytes(tensor, part)));
  };
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes())) {
    const Sharding &to = division.operands[number];
    Sharding whole;
    whole.dims.resize(to.dims.size());
    add(type, given.operands[number] ? *given.operands[number] : whole, to, to);
  }
  for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
    const Sharding &from = division.results[number];
    add(type, from, shardingOfResult(division, given, number), from);
  }
  if (!division.reduced.empty())
    cost += model.emptyCollective();
  if (isa<DotGeneralOp, ConvolutionOp>(op)) {
    double steps = 1;
    for (auto [size, axes] : llvm::zip_equal(rule.sizes, division.factors))
      steps *= double(size) / double(partsOf(axes));
    cost += model.multiplyAdds(steps);
  }
  return cost;
}

} // namespace

Sharding shardingOfResult(const OperationDivision &division, const GivenShardings &given,
                          size_t result) {
  if (given.results[result])
    return *given.results[result];
  Sharding sharding = division.results[result];
  sharding.unreduced.clear();
  return sharding;
}

OperationDivision chooseDivision(Operation *op, const ShardingRule &rule,
                                 const GivenShardings &given, const SliceModel &model) {
  using Kinds = FactorAxes::Kinds;
  std::optional<OperationDivision> best;
  double least = 0;
  auto consider = [&](FactorAxes axes) {
    OperationDivision division = divisionAlong(op, rule, std::move(axes).result(), given);
    const double cost = costOf(op, rule, division, given, model);
    if (!best || cost < least) {
      best = std::move(division);
      least = cost;
    }
  };
  auto fromResults = [&](bool withReductions) {
    FactorAxes axes(op, rule);
    axes.take(rule.results, given.results, Kinds::PassThrough);
    if (withReductions)
      axes.take(rule.operands, given.operands, Kinds::Reductions);
    consider(std::move(axes));
  };
  fromResults(/*withReductions=*/true);
  if (!rule.reduction.empty())
    fromResults(/*withReductions=*/false);
  for (size_t first = 0; first < rule.operands.size(); ++first) {
    if (!given.operands[first] || !given.operands[first]->isDivided())
      continue;
    FactorAxes axes(op, rule);
    axes.take(rule.operands[first], given.operands[first], Kinds::Both);
    axes.take(rule.results, given.results, Kinds::PassThrough);
    axes.take(rule.operands, given.operands, Kinds::Both);
    consider(std::move(axes));
  }
  const FactorAxes factors(op, rule);
  for (auto [dims, sharding] : llvm::zip(rule.operands, given.operands)) {
    FactorAxes own(op, rule);
    own.take(dims, sharding, Kinds::Both);
    SmallVector<Axes> axes = std::move(own).result();
    best->isIndivisible |=
        factors.hasIndivisible(dims, sharding) || clearIndivisible(op, rule, axes);
  }
  return *std::move(best);
}

} // namespace systole::partition
