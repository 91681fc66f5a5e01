// Sharding rules of convolutions and of reductions of windows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static constexpr int64_t kNone = RuleBuilder::kNone;

/// Whether windows of one element lie on all elements of a dimension.
static bool isPlain(std::optional<ArrayRef<int64_t>> sizes,
                    std::optional<ArrayRef<int64_t>> strides,
                    std::optional<DenseIntElementsAttr> padding, size_t dim) {
  if (padding) {
    auto values = padding->getValues<int64_t>().begin() + 2 * int64_t(dim);
    if (*values != 0 || *std::next(values) != 0)
      return false;
  }
  return (!sizes || sizes->empty() || (*sizes)[dim] == 1) &&
         (!strides || strides->empty() || (*strides)[dim] == 1);
}

ShardingRule ruleOfConvolution(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType image = typeOf(op.getLhs()), kernel = typeOf(op.getRhs()),
                   result = typeOf(op.getResult());
  const auto featureGroups = int64_t(op.getFeatureGroupCount());
  const auto batchGroups = int64_t(op.getBatchGroupCount());
  const int64_t imageBatch = numbers.getInputBatchDimension();
  const int64_t imageFeature = numbers.getInputFeatureDimension();
  const int64_t kernelInput = numbers.getKernelInputFeatureDimension();
  const int64_t kernelOutput = numbers.getKernelOutputFeatureDimension();
  const int64_t resultBatch = numbers.getOutputBatchDimension();
  const int64_t resultFeature = numbers.getOutputFeatureDimension();

  RuleBuilder rule(op);
  if (batchGroups > 1)
    rule.add({imageBatch, kernelOutput}, {resultFeature}, batchGroups);
  rule.add({imageBatch, kNone}, {resultBatch}, result.getDimSize(resultBatch));
  // A spatial dimension of the image can be divided as the result is, or as the kernel: the larger
  // of the two is the major one.
  for (auto [ofImage, ofKernel, ofResult] :
       llvm::zip_equal(numbers.getInputSpatialDimensions(), numbers.getKernelSpatialDimensions(),
                       numbers.getOutputSpatialDimensions())) {
    const int64_t positions = result.getDimSize(ofResult), taps = kernel.getDimSize(ofKernel);
    int64_t rest = image.getDimSize(ofImage);
    for (bool isTap : {positions < taps, positions >= taps}) {
      const int64_t size = std::min(rest, isTap ? taps : positions);
      if (size <= 1)
        continue;
      rule.add({ofImage, isTap ? ofKernel : kNone}, {isTap ? kNone : ofResult}, size,
               isTap ? FactorKind::Reduction : FactorKind::Permutation);
      rest /= size;
    }
  }
  if (featureGroups > 1)
    rule.add({imageFeature, kernelOutput}, {resultFeature}, featureGroups);
  rule.add({imageFeature, kernelInput}, {kNone}, kernel.getDimSize(kernelInput),
           FactorKind::Reduction);
  if (int64_t features = result.getDimSize(resultFeature) / (batchGroups * featureGroups);
      features > 1)
    rule.add({kNone, kernelOutput}, {resultFeature}, features);
  return rule.take();
}

ShardingRule ruleOfReduceWindow(ReduceWindowOp op) {
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op->getResult(0))))
    rule.addToAll(int64_t(d), size,
                  isPlain(op.getWindowDimensions(), op.getWindowStrides(), op.getPadding(), d)
                      ? FactorKind::PassThrough
                      : FactorKind::Permutation);
  return rule.take();
}

ShardingRule ruleOfSelectAndScatter(SelectAndScatterOp op) {
  RuleBuilder rule(op);
  for (auto [number, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    const auto d = int64_t(number);
    if (isPlain(op.getWindowDimensions(), op.getWindowStrides(), op.getPadding(), number)) {
      rule.addToAll(d, size);
      continue;
    }
    rule.add({kNone, d, kNone}, {kNone}, typeOf(op.getSource()).getDimSize(d),
             FactorKind::NeedReplication);
    rule.add({d, kNone, kNone}, {d}, size, FactorKind::Permutation);
  }
  return rule.take();
}

} // namespace systole::partition
