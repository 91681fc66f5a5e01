// The factors along which parts of an operation can be computed by themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/DivisibleFactors.h"

#include "compiler/Partition/Terms.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

/// Whether a custom call makes each element of its result of those at its index.
static bool isElementwise(CustomCallOp call) {
  return llvm::is_contained(
      {"annotate_device_placement", "LayoutConstraint", "mhlo.erf", "MoveToDevice", "MoveToHost"},
      call.getCallTargetName());
}

bool isDivisible(Operation *op, const ShardingRule &rule) {
  if (auto call = dyn_cast<CustomCallOp>(op))
    return isElementwise(call);
  // Their results depend on more than the operands' parts, or they have no division yet.
  return !rule.isCustom &&
         !isa<RngOp, RngBitGeneratorOp, BatchNormTrainingOp, BatchNormGradOp, BatchNormInferenceOp>(
             op) &&
         (op->getNumRegions() == 0 ||
          isa<ReduceOp, ReduceWindowOp, SortOp, ScatterOp, SelectAndScatterOp, MapOp>(op));
}

SmallVector<int64_t> singleIndexedDims(Operation *op) {
  ArrayRef<int64_t> indexed, single;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    indexed = gather.getDimensionNumbers().getStartIndexMap();
    single = gather.getDimensionNumbers().getCollapsedSliceDims();
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    indexed = scatter.getScatterDimensionNumbers().getScatterDimsToOperandDims();
    single = scatter.getScatterDimensionNumbers().getInsertedWindowDims();
  }
  return llvm::to_vector(llvm::make_filter_range(
      indexed, [&](int64_t dim) { return llvm::is_contained(single, dim); }));
}

/// The factors along which a part of the result depends on more than the same part of the operands.
static SmallVector<int64_t> factorsAcrossParts(Operation *op, const ShardingRule &rule) {
  SmallVector<int64_t> factors;
  auto add = [&](const TensorFactorsOfDims &tensor, ArrayRef<int64_t> dims) {
    for (int64_t d : dims)
      llvm::append_range(factors, tensor[size_t(d)]);
  };
  // Dimensions that are indexed with more than single positions, or that have single positions
  // without an index: those are the first ones.
  auto addIndexed = [&](const TensorFactorsOfDims &tensor, ArrayRef<int64_t> indexed,
                        ArrayRef<int64_t> single) {
    const SmallVector<int64_t> both = singleIndexedDims(op);
    for (ArrayRef<int64_t> dims : {indexed, single})
      for (int64_t d : dims)
        if (!llvm::is_contained(both, d))
          add(tensor, d);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ConvolutionOp convolution) {
        ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
        add(rule.operands[0], numbers.getInputSpatialDimensions());
        add(rule.operands[1], numbers.getKernelSpatialDimensions());
        add(rule.results[0], numbers.getOutputSpatialDimensions());
      })
      .Case([&](DynamicUpdateSliceOp update) {
        ArrayRef<int64_t> whole = shapeOf(update.getOperand()), part = shapeOf(update.getUpdate());
        for (auto [d, sizes] : llvm::enumerate(llvm::zip_equal(whole, part)))
          if (std::get<0>(sizes) != std::get<1>(sizes))
            add(rule.results[0], int64_t(d));
      })
      .Case([&](PadOp pad) {
        for (auto [d, low, high, interior] : llvm::enumerate(
                 pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(), pad.getInteriorPadding()))
          if (low != 0 || high != 0 || interior != 0)
            add(rule.results[0], int64_t(d));
      })
      .Case([&](ReduceWindowOp windows) {
        for (auto [d, dilation] :
             llvm::enumerate(windows.getBaseDilations().value_or(ArrayRef<int64_t>())))
          if (dilation != 1)
            for (const TensorFactorsOfDims &result : rule.results)
              add(result, int64_t(d));
      })
      .Case([&](GatherOp gather) {
        GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
        addIndexed(rule.operands[0], numbers.getStartIndexMap(), numbers.getCollapsedSliceDims());
        for (auto [d, sizes] :
             llvm::enumerate(llvm::zip_equal(shapeOf(gather.getOperand()), gather.getSliceSizes())))
          if (auto [whole, slice] = sizes;
              whole != slice && !llvm::is_contained(numbers.getCollapsedSliceDims(), int64_t(d)) &&
              !llvm::is_contained(numbers.getOperandBatchingDims(), int64_t(d)))
            add(rule.operands[0], int64_t(d));
      })
      .Case([&](ScatterOp scatter) {
        ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
        for (unsigned result = 0; result < scatter->getNumResults(); ++result)
          addIndexed(rule.results[result], numbers.getScatterDimsToOperandDims(),
                     numbers.getInsertedWindowDims());
      });
  return factors;
}

/// Whether a factor is of operands alone, and no reduction, or one of a reshape's result alone: of
/// tensor<4x6> and tensor<8x3> the 4 are major factors of the 8, but no factor is of 6 and of 3.
static bool isOfOneSide(Operation *op, const ShardingRule &rule, int64_t factor) {
  auto haveIt = [&](ArrayRef<TensorFactorsOfDims> tensors) {
    return llvm::any_of(tensors, [&](const TensorFactorsOfDims &dims) {
      return llvm::any_of(
          dims, [&](const DimFactors &factors) { return llvm::is_contained(factors, factor); });
    });
  };
  if (!haveIt(rule.results))
    return !llvm::is_contained(rule.reduction, factor);
  return isa<ReshapeOp>(op) && !haveIt(rule.operands);
}

/// Whether a convolution in groups can be divided along a factor: along its batch alone.
static bool canDivideGroups(ConvolutionOp op, const ShardingRule &rule, int64_t factor) {
  if (op.getFeatureGroupCount() == 1 && op.getBatchGroupCount() == 1)
    return true;
  const int64_t batch = op.getDimensionNumbers().getOutputBatchDimension();
  return op.getBatchGroupCount() == 1 && llvm::is_contained(rule.results[0][size_t(batch)], factor);
}

/// A factor that has axes behind another one of its dimension that is not wholly divided: of
/// tensor<8> as factors i=2 and j=4 a division along j alone takes two ranges.
static std::optional<int64_t> factorInRanges(const ShardingRule &rule,
                                             ArrayRef<Axes> axesOfFactors) {
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactorsOfDims &dims : *tensors)
      for (const DimFactors &factors : dims) {
        bool isWhole = true;
        for (int64_t factor : factors) {
          const Axes &own = axesOfFactors[size_t(factor)];
          if (!isWhole && !own.empty())
            return factor;
          isWhole &= partsOf(own) == rule.sizes[size_t(factor)];
        }
      }
  return std::nullopt;
}

bool clearIndivisible(Operation *op, const ShardingRule &rule,
                      MutableArrayRef<Axes> axesOfFactors) {
  bool isCleared = false;
  auto clear = [&](int64_t factor) {
    isCleared |= !axesOfFactors[size_t(factor)].empty();
    axesOfFactors[size_t(factor)].clear();
  };
  llvm::for_each(factorsAcrossParts(op, rule), clear);
  if (!hasTerms(op))
    llvm::for_each(rule.reduction, clear);
  auto convolution = dyn_cast<ConvolutionOp>(op);
  for (int64_t factor = 0; factor < int64_t(axesOfFactors.size()); ++factor)
    if (isOfOneSide(op, rule, factor) ||
        (convolution && !canDivideGroups(convolution, rule, factor)))
      clear(factor);
  while (std::optional<int64_t> factor = factorInRanges(rule, axesOfFactors))
    clear(*factor);
  return isCleared;
}

} // namespace systole::partition
