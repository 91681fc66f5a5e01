// Products and convolutions of HLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Window.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::hlo {

namespace {

template <typename Numbers> ArrayRef<int64_t> list(const Numbers &numbers) {
  return {numbers.data(), size_t(numbers.size())};
}

/// The numeric algorithm of a dot, by its number in XLA.
struct Algorithm {
  int32_t number;
  Type (*operand)(Builder &);
  Type (*sum)(Builder &);
  int64_t components, operations;
};

Type f16(Builder &b) { return b.getF16Type(); }
Type bf16(Builder &b) { return b.getBF16Type(); }
Type tf32(Builder &b) { return b.getTF32Type(); }
Type f32(Builder &b) { return b.getF32Type(); }
Type f64(Builder &b) { return b.getF64Type(); }

constexpr Algorithm kAlgorithms[] = {
    {3, f16, f16, 1, 1},  {4, f16, f32, 1, 1},  {5, bf16, bf16, 1, 1}, {6, bf16, f32, 1, 1},
    {7, bf16, f32, 1, 3}, {8, bf16, f32, 1, 6}, {9, tf32, f32, 1, 1},  {10, tf32, f32, 1, 3},
    {11, f32, f32, 1, 1}, {12, f64, f64, 1, 1}, {13, bf16, f32, 1, 9},
};

/// Appends the precision of a dot or convolution.
LogicalResult appendPrecision(Emitter &emitter, const Node &node, bool takesAlgorithm,
                              SmallVectorImpl<NamedAttribute> &attributes) {
  Builder &b = emitter.builder;
  const PrecisionConfig &config = node.proto.precision_config();
  SmallVector<Attribute> precisions;
  for (int32_t number : config.operand_precision()) {
    auto precision = stablehlo::symbolizePrecision(number);
    if (!precision)
      return emitter.error(node) << "precision " << number << " is not known";
    precisions.push_back(stablehlo::PrecisionAttr::get(emitter.context(), *precision));
  }
  if (!precisions.empty())
    attributes.push_back(b.getNamedAttr("precision_config", b.getArrayAttr(precisions)));
  if (config.algorithm() == 0)
    return success();
  const Algorithm *algorithm = llvm::find_if(
      kAlgorithms, [&](const Algorithm &each) { return each.number == config.algorithm(); });
  if (!takesAlgorithm || algorithm == std::end(kAlgorithms))
    return emitter.unimplemented(node)
           << "algorithm " << config.algorithm() << " of products is not supported";
  auto made = stablehlo::DotAlgorithmAttr::getChecked(
      [&] { return emitter.error(node); }, emitter.context(), algorithm->operand(b),
      algorithm->operand(b), algorithm->sum(b), algorithm->components, algorithm->components,
      algorithm->operations, /*allowImpreciseAccumulation=*/false);
  if (!made)
    return failure();
  attributes.push_back(b.getNamedAttr("algorithm", made));
  return success();
}

FailureOr<Values> buildDot(Emitter &emitter, const Node &node) {
  const DotDimensionNumbers &numbers = node.proto.dot_dimension_numbers();
  auto dimensions = stablehlo::DotDimensionNumbersAttr::get(
      emitter.context(), list(numbers.lhs_batch_dimensions()), list(numbers.rhs_batch_dimensions()),
      list(numbers.lhs_contracting_dimensions()), list(numbers.rhs_contracting_dimensions()));
  SmallVector<NamedAttribute> attributes = {
      emitter.builder.getNamedAttr("dot_dimension_numbers", dimensions)};
  if (failed(appendPrecision(emitter, node, /*takesAlgorithm=*/true, attributes)))
    return failure();
  return emitter.make(node, "stablehlo.dot_general", node.leaves(), attributes);
}

FailureOr<Values> buildConvolution(Emitter &emitter, const Node &node) {
  const ConvolutionDimensionNumbers &numbers = node.proto.convolution_dimension_numbers();
  const WindowNumbers window(node.proto.window());
  // StableHLO takes the window size from the kernel.
  auto kernel = cast<RankedTensorType>(node.array(1).getType());
  for (auto [size, dimension] : llvm::zip(window.sizes, numbers.kernel_spatial_dimensions()))
    if (dimension < 0 || dimension >= kernel.getRank() || kernel.getDimSize(dimension) != size)
      return emitter.error(node) << "its window has another size than its kernel";
  auto dimensions = stablehlo::ConvDimensionNumbersAttr::get(
      emitter.context(), numbers.input_batch_dimension(), numbers.input_feature_dimension(),
      list(numbers.input_spatial_dimensions()), numbers.kernel_input_feature_dimension(),
      numbers.kernel_output_feature_dimension(), list(numbers.kernel_spatial_dimensions()),
      numbers.output_batch_dimension(), numbers.output_feature_dimension(),
      list(numbers.output_spatial_dimensions()));
  Builder &b = emitter.builder;
  auto groups = [&](int64_t count) { return b.getI64IntegerAttr(count == 0 ? 1 : count); };
  SmallVector<NamedAttribute> attributes = {
      numbersAttribute(emitter, "window_strides", window.strides),
      b.getNamedAttr("padding", window.padding(emitter)),
      numbersAttribute(emitter, "lhs_dilation", window.baseDilations),
      numbersAttribute(emitter, "rhs_dilation", window.dilations),
      b.getNamedAttr("window_reversal", b.getDenseBoolArrayAttr(window.reversals)),
      b.getNamedAttr("dimension_numbers", dimensions),
      b.getNamedAttr("feature_group_count", groups(node.proto.feature_group_count())),
      b.getNamedAttr("batch_group_count", groups(node.proto.batch_group_count()))};
  if (failed(appendPrecision(emitter, node, /*takesAlgorithm=*/false, attributes)))
    return failure();
  return emitter.make(node, "stablehlo.convolution", node.leaves(), attributes);
}

constexpr Opcode kOpcodes[] = {
    {"convolution", buildConvolution, 2},
    {"dot", buildDot, 2},
};

} // namespace

ArrayRef<Opcode> contractionOpcodes() { return kOpcodes; }

} // namespace systole::hlo
