// Dimensions along which parts of an operation depend on each other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/LocalDimensions.h"

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

SmallVector<int64_t> factorsAcrossParts(Operation *op, const ShardingRule &rule) {
  SmallVector<int64_t> factors;
  auto add = [&](const TensorFactorsOfDims &tensor, ArrayRef<int64_t> dims) {
    for (int64_t d : dims)
      llvm::append_range(factors, tensor[size_t(d)]);
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
      .Case([&](GatherOp gather) {
        add(rule.operands[0], gather.getDimensionNumbers().getStartIndexMap());
      })
      .Case([&](ScatterOp scatter) {
        ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
        for (unsigned result = 0; result < scatter->getNumResults(); ++result)
          add(rule.results[result], numbers.getScatterDimsToOperandDims());
      });
  return factors;
}

} // namespace systole::partition
