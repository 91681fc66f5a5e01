// The relations of products and convolutions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/RelationBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

void relateDot(stablehlo::DotGeneralOp op, RelationBuilder &b) {
  // The result has the batching dimensions, then those of the left and of the right operand that
  // are free.
  int64_t next = 0;
  for (auto [lhs, rhs] : llvm::zip_equal(op.getLhsBatchingDims(), op.getRhsBatchingDims()))
    b.at(0, lhs).expr = b.at(1, rhs).expr = b.iterator(next++);
  for (int64_t d : op.getLhsFreeDims())
    b.at(0, d).expr = b.iterator(next++);
  for (int64_t d : op.getRhsFreeDims())
    b.at(1, d).expr = b.iterator(next++);
  for (auto [lhs, rhs] : llvm::zip_equal(op.getLhsContractingDims(), op.getRhsContractingDims()))
    b.at(0, lhs).expr = b.at(1, rhs).expr =
        b.add(IteratorKind::Reduced, typeOf(op.getLhs()).getDimSize(lhs));
}

void relateConvolution(stablehlo::ConvolutionOp op, RelationBuilder &b) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType image = op.getLhs().getType(), kernel = op.getRhs().getType();
  int64_t batchDim = numbers.getInputBatchDimension();
  int64_t featureDim = numbers.getInputFeatureDimension();
  int64_t inputs = numbers.getKernelInputFeatureDimension();
  int64_t outputs = numbers.getKernelOutputFeatureDimension();

  AffineExpr batch = b.iterator(numbers.getOutputBatchDimension());
  AffineExpr output = b.iterator(numbers.getOutputFeatureDimension());
  AffineExpr input = b.add(IteratorKind::Reduced, kernel.getDimSize(inputs));
  b.at(1, outputs).expr = output;
  b.at(1, inputs).expr = input;
  b.at(0, batchDim).expr = batch;
  b.at(0, featureDim).expr = input;
  // Where there are groups, that of the output feature selects part of the image's features or of
  // its batch.
  auto select = [&](int64_t groups, int64_t dim) {
    if (groups == 1 || kernel.getDimSize(outputs) == 0)
      return;
    int64_t features = kernel.getDimSize(outputs) / groups, size = image.getDimSize(dim) / groups;
    AffineExpr inside = size == 1 ? b.constant(0) : b.at(0, dim).expr;
    b.at(0, dim).expr = inside + output.floorDiv(features) * size;
  };
  select(op.getFeatureGroupCount(), featureDim);
  select(op.getBatchGroupCount(), batchDim);

  for (auto [number, window] : llvm::enumerate(op.getWindow())) {
    AffineExpr position = b.iterator(numbers.getOutputSpatialDimensions()[number]);
    AffineExpr tap = b.add(IteratorKind::Tap, window.size);
    IndexRelation &ofImage = b.at(0, numbers.getInputSpatialDimensions()[number]);
    ofImage.expr = position * window.stride + tap * window.rhsDilation - window.low;
    ofImage.dilation = window.lhsDilation;
    b.at(1, numbers.getKernelSpatialDimensions()[number]).expr =
        window.reversed ? b.constant(window.size - 1) - tap : tap;
  }
}

} // namespace systole
