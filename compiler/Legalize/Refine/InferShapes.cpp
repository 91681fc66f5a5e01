// The shapes of results that follow from those of operands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Host/HostValues.h"
#include "compiler/Legalize/Refine/Refine.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Einsum.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

using Shape = SmallVector<int64_t>;
using Shapes = SmallVector<Shape>;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Shape copyOf(Value value) { return Shape(shapeOf(value)); }

Shapes shapesOf(ValueRange values) { return llvm::map_to_vector(values, copyOf); }

/// The shape of all operands of the result's rank, each of which may know sizes.
Shapes ofOperands(Operation *op) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return {};
  Shape shape(result.getRank(), ShapedType::kDynamic);
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && type.getRank() == result.getRank())
      for (auto [known, size] : llvm::zip_equal(shape, type.getShape()))
        if (ShapedType::isDynamic(known))
          known = size;
  return Shapes(op->getNumResults(), shape);
}

Shapes inferred(InferTypeOpInterface op) {
  SmallVector<Type> types;
  if (failed(op.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                 op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                 op->getRegions(), types)))
    return {};
  return llvm::map_to_vector(types, [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? Shape(tensor.getShape()) : Shape();
  });
}

Shapes inferProduct(DotGeneralOp op) {
  Shape shape;
  for (int64_t d : op.getLhsBatchingDims())
    shape.push_back(shapeOf(op.getLhs())[d]);
  for (int64_t d : op.getLhsFreeDims())
    shape.push_back(shapeOf(op.getLhs())[d]);
  for (int64_t d : op.getRhsFreeDims())
    shape.push_back(shapeOf(op.getRhs())[d]);
  return {shape};
}

Shapes inferRaggedProduct(chlo::RaggedDotOp op) {
  Shape shape;
  if (op.getMode() == chlo::RaggedDotOp::Mode::Contracting)
    shape.push_back(shapeOf(op.getGroupSizes()).back());
  for (int64_t d : op.getRaggedDotDimensionNumbers().getLhsBatchingDimensions())
    shape.push_back(shapeOf(op.getLhs())[d]);
  for (int64_t d : op.getLhsFreeDims())
    shape.push_back(shapeOf(op.getLhs())[d]);
  for (int64_t d : op.getRhsFreeDims())
    shape.push_back(shapeOf(op.getRhs())[d]);
  return {shape};
}

/// The number of window positions on `size` elements.
int64_t positions(const Window &window, int64_t size) {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(window.size))
    return ShapedType::kDynamic;
  return window.positionsOn(size).value_or(ShapedType::kDynamic);
}

Shapes inferConvolution(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs());
  Shape shape(lhs.size());
  int64_t batch = lhs[numbers.getInputBatchDimension()];
  if (ShapedType::isStatic(batch))
    batch /= static_cast<int64_t>(op.getBatchGroupCount());
  shape[numbers.getOutputBatchDimension()] = batch;
  shape[numbers.getOutputFeatureDimension()] =
      shapeOf(op.getRhs())[numbers.getKernelOutputFeatureDimension()];
  for (auto [from, to, window] :
       llvm::zip_equal(numbers.getInputSpatialDimensions(), numbers.getOutputSpatialDimensions(),
                       op.getWindow()))
    shape[to] = positions(window, lhs[from]);
  return {shape};
}

Shapes inferReduction(ReduceOp op) {
  Shape shape;
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getInputs().front())))
    if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d)))
      shape.push_back(size);
  return Shapes(op->getNumResults(), shape);
}

Shapes inferWindows(ReduceWindowOp op) {
  Shape shape;
  for (auto [window, size] : llvm::zip_equal(op.getWindow(), shapeOf(op.getInputs().front())))
    shape.push_back(positions(window, size));
  return Shapes(op->getNumResults(), shape);
}

/// The values that one of several regions returns: sizes that any of them knows.
Shapes ofBranches(Operation *op) {
  Shapes shapes;
  for (Region &region : op->getRegions()) {
    Shapes returned = shapesOf(region.front().getTerminator()->getOperands());
    if (shapes.empty())
      shapes = returned;
    for (auto [shape, other] : llvm::zip_equal(shapes, returned))
      for (auto [size, known] : llvm::zip_equal(shape, other))
        if (ShapedType::isDynamic(size))
          size = known;
  }
  return shapes;
}

Shapes inferEinsum(Operation *op, StringRef equation) {
  FailureOr<Einsum> einsum = Einsum::parse(Refusal(op), equation, op->getOperandTypes());
  if (failed(einsum))
    return {};
  Shape shape;
  for (int64_t label : einsum->result)
    shape.push_back(einsum->sizeOf(label, op->getOperandTypes()));
  return {shape};
}

Shapes inferDot(DotOp op) {
  Shape shape(shapeOf(op.getLhs()).drop_back());
  llvm::append_range(shape, shapeOf(op.getRhs()).drop_front());
  return {shape};
}

/// Wider elements become several narrower ones along a last dimension, and the other way round.
Shapes inferBitcast(BitcastConvertOp op) {
  ArrayRef<int64_t> declared = cast<RankedTensorType>(op.getType()).getShape();
  Shape shape = copyOf(op.getOperand());
  if (shape.size() < declared.size())
    shape.push_back(declared.back());
  else if (shape.size() > declared.size())
    shape.pop_back();
  return {shape};
}

Shapes inferTopK(chlo::TopKOp op) {
  Shape shape = copyOf(op.getOperand());
  shape.back() = static_cast<int64_t>(op.getK());
  return {shape, shape};
}

Shapes inferScan(chlo::ScanOp op) {
  Shapes shapes;
  auto length = op.getLength();
  ValueRange returned = op.getBody().front().getTerminator()->getOperands();
  for (Value element : returned.take_front(op.getOutputs().size())) {
    Shape shape = copyOf(element);
    shape.insert(shape.begin() + op.getDimension(), length);
    shapes.push_back(shape);
  }
  llvm::append_range(shapes, shapesOf(op.getInits()));
  return shapes;
}

/// Operands that are broadcast to one shape.
Shapes inferBroadcast(Operation *op) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  Shape shape(rank, 1);
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> sizes = shapeOf(operand);
    bool isLow = given && static_cast<int64_t>(sizes.size()) < rank;
    SmallVector<int64_t> dims = chlo::broadcastDims(
        isLow ? std::optional(given.asArrayRef()) : std::nullopt, sizes.size(), rank);
    for (auto [d, size] : llvm::zip_equal(dims, sizes))
      if (size != 1 && (shape[d] == 1 || ShapedType::isDynamic(shape[d])))
        shape[d] = size;
  }
  return {shape};
}

/// As many as operands, with the sizes of the same one.
Shapes ofNormalization(Operation *op) {
  Shapes shapes = {copyOf(op->getOperand(0))};
  while (shapes.size() < op->getNumResults())
    shapes.push_back(copyOf(op->getOperand(1)));
  return shapes;
}

} // namespace

Shapes inferShapes(Operation *op) {
  return llvm::TypeSwitch<Operation *, Shapes>(op)
      .Case(inferProduct)
      .Case(inferRaggedProduct)
      .Case(inferConvolution)
      .Case(inferReduction)
      .Case(inferWindows)
      .Case(inferDot)
      .Case(inferBitcast)
      .Case(inferTopK)
      .Case(inferScan)
      .Case<EinsumOp, UnaryEinsumOp>([](auto op) { return inferEinsum(op, op.getEinsumConfig()); })
      .Case<IfOp, CaseOp>([](Operation *op) { return ofBranches(op); })
      .Case<WhileOp, OptimizationBarrierOp, SortOp>(
          [](Operation *op) { return shapesOf(op->getOperands()); })
      .Case([](ScatterOp op) { return shapesOf(op.getInputs()); })
      .Case<SelectAndScatterOp, CholeskyOp, RngBitGeneratorOp>(
          [](Operation *op) { return Shapes{copyOf(op->getOperand(0))}; })
      .Case([](TriangularSolveOp op) { return Shapes{copyOf(op->getOperand(1))}; })
      .Case<BatchNormTrainingOp, BatchNormInferenceOp, BatchNormGradOp>(
          [](Operation *op) { return ofNormalization(op); })
      .Case([](InferTypeOpInterface op) { return inferred(op); })
      .Default([](Operation *op) {
        if (op->getNumResults() == 0 || (isa<CustomCallOp>(op) && !isPlacement(op)))
          return Shapes();
        return op->getName().getStringRef().starts_with("chlo.broadcast_") ? inferBroadcast(op)
                                                                           : ofOperands(op);
      });
}

} // namespace systole::refine
