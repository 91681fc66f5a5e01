// The arithmetic of tensor operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Flops.h"

#include "compiler/Planning/RoundedOperands.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole {

int64_t flopsOf(Operation *op) {
  auto elements = [](Value value) { return typeOf(value).getNumElements(); };
  switch (kindOf(op)) {
  case OpKind::Dot: {
    auto dot = cast<stablehlo::DotGeneralOp>(op);
    int64_t depth = 1;
    for (int64_t d : dot.getLhsContractingDims())
      depth *= typeOf(dot.getLhs()).getDimSize(d);
    return 2 * depth * elements(dot.getResult());
  }
  case OpKind::Convolution: {
    auto convolution = cast<stablehlo::ConvolutionOp>(op);
    int64_t outputs = convolution.getDimensionNumbers().getKernelOutputFeatureDimension();
    RankedTensorType kernel = convolution.getRhs().getType();
    return 2 * kernel.getNumElements() / std::max<int64_t>(1, kernel.getDimSize(outputs)) *
           elements(convolution.getResult());
  }
  case OpKind::Elementwise:
    if (auto several = dyn_cast<kernel::ElementwiseOp>(op))
      return elements(op->getResult(0)) *
             llvm::count_if(several.getOps(), [](Operation &inner) { return flopsOf(&inner) > 0; });
    return isRoundedByProduct(op, /*leaves=*/false) ? 0 : elements(op->getResult(0));
  case OpKind::Reduce: {
    int64_t sum = 0;
    for (Value input : cast<stablehlo::ReduceOp>(op).getInputs())
      sum += elements(input);
    return sum;
  }
  default:
    return 0;
  }
}

} // namespace systole
