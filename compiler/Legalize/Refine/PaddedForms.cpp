// Chooses the forms of operations on padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Host/HostValues.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

std::optional<int64_t> extentOf(RankedTensorType type, int64_t dim) {
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto bounds = dyn_cast_or_null<BoundsAttr>(type.getEncoding());
  if (!bounds || ShapedType::isDynamic(bounds.getBounds()[dim]))
    return std::nullopt;
  return bounds.getBounds()[dim];
}

/// Whether a dynamic dimension has a bound.
static bool isBounded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::any_of(llvm::seq(tensor.getRank()), [&](int64_t dim) {
           return tensor.isDynamicDim(dim) && extentOf(tensor, dim);
         });
}

//===----------------------------------------------------------------------===//
// What forms are built of
//===----------------------------------------------------------------------===//

Padded PaddedForm::at(Value value) const {
  auto found = arrays.find(value);
  return found == arrays.end() ? Padded(value) : found->second;
}

Arrays PaddedForm::at(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return at(value); });
}

RankedTensorType PaddedForm::declared(unsigned result) const {
  return typeOf(op->getResult(result));
}

std::optional<int64_t> PaddedForm::extent(int64_t dim, unsigned result) const {
  return extentOf(declared(result), dim);
}

std::optional<int64_t> PaddedForm::size(int64_t dim, unsigned result) const {
  return declared(result).isDynamicDim(dim) ? std::nullopt : extent(dim, result);
}

/// The integers that were converted to others without a change of their low 32 bits; null if they
/// were not.
static Value widenedFrom(Value integers) {
  auto converted = integers.getDefiningOp<ConvertOp>();
  if (!converted)
    return nullptr;
  auto from = dyn_cast<IntegerType>(typeOf(converted.getOperand()).getElementType());
  auto to = dyn_cast<IntegerType>(typeOf(integers).getElementType());
  return from && to && to.getWidth() >= 32 ? converted.getOperand() : Value();
}

/// The scalar of which an element of a list was made; null if that cannot be seen.
static Value scalarOf(Value list, int64_t index) {
  while (Operation *made = list.getDefiningOp()) {
    if (isa<ReshapeOp, BroadcastInDimOp>(made) && shapeOf(made->getOperand(0)).empty())
      return made->getOperand(0);
    if (Value source = widenedFrom(list)) {
      list = source;
      continue;
    }
    if (!isa<ConcatenateOp>(made))
      return nullptr;
    for (Value part : made->getOperands()) {
      list = part;
      if (index < shapeOf(part)[0])
        break;
      index -= shapeOf(part)[0];
    }
  }
  return nullptr;
}

Number PaddedForm::number(Value list, int64_t index) {
  Value scalar = scalarOf(list, index);
  return number(scalar ? scalar : t.reshape(t.slice(list, 0, index, 1), {}));
}

Number PaddedForm::number(Value scalar) {
  // A size was an i32 before producers widened it.
  while (Value source = widenedFrom(scalar))
    scalar = source;
  std::optional<Evaluator::Sizes> known = evaluator.integers(scalar);
  if (known && llvm::isInt<32>(known->front()))
    return {nullptr, known->front()};
  return {t.convert(scalar, t.b.getI32Type()), std::nullopt};
}

SmallVector<Number> PaddedForm::numbers(Value list) {
  return llvm::map_to_vector(llvm::seq(shapeOf(list)[0]),
                             [&](int64_t index) { return number(list, index); });
}

FailureOr<Operation *> PaddedForm::rebuild(ValueRange operands) {
  OperationState state(op->getLoc(), op->getName(), operands, op->getResultTypes(), op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *made = t.b.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions()))
    to.takeBody(from);
  SmallVector<SmallVector<int64_t>> shapes = inferShapes(made);
  shapes.resize(made->getNumResults());
  for (auto [result, shape] : llvm::zip_equal(made->getResults(), shapes)) {
    if (static_cast<int64_t>(shape.size()) != typeOf(result).getRank() ||
        llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return op->emitOpError() << "has a result whose shape does not follow from "
                               << made->getOperandTypes();
    result.setType(RankedTensorType::get(shape, typeOf(result).getElementType()));
  }
  // The shapes that operands have now need not go together.
  if (failed(verify(made)))
    return failure();
  return made;
}

FailureOr<Arrays> PaddedForm::rebuild(ValueRange operands, ArrayRef<Value> sizes) {
  FailureOr<Operation *> made = rebuild(operands);
  if (failed(made))
    return failure();
  return llvm::map_to_vector((*made)->getResults(), [&](Value result) {
    return Padded(result, SmallVector<Value>(sizes));
  });
}

LogicalResult PaddedForm::refuse(const Twine &why) const {
  return emitUnimplemented(op) << "'" << op->getName() << "' of sizes that depend on data: " << why;
}

//===----------------------------------------------------------------------===//
// Operations that need little
//===----------------------------------------------------------------------===//

static Form getSize(PaddedForm &f, GetDimensionSizeOp op) {
  return Arrays{Padded(f.t.length(f.at(op.getOperand()), op.getDimension()))};
}

/// Elements that were padding before become zero.
static Form setSize(PaddedForm &f, SetDimensionSizeOp op) {
  auto dim = static_cast<int64_t>(op.getDimension());
  Padded array = f.t.masked(f.at(op.getOperand()), {dim});
  Number size = f.number(op.getSize());
  int64_t extent = array.shape()[dim];
  if (!size.known) {
    array.sizes[dim] = f.t.within(size.scalar, 0, extent);
    return Arrays{array};
  }
  if (*size.known < 0 || *size.known > extent)
    return op.emitOpError() << "sets size " << *size.known << " of dimension " << dim
                            << ", which has " << extent << " elements";
  array = f.t.resized(array, dim, *size.known);
  array.sizes[dim] = nullptr;
  return Arrays{array};
}

/// An array of the shape that an operand lists.
static Form create(PaddedForm &f, Value list, function_ref<Value(RankedTensorType)> make) {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (auto [dim, number] : llvm::enumerate(f.numbers(list))) {
    std::optional<int64_t> extent = number.known ? number.known : f.extent(dim);
    if (!extent)
      return f.refuse("its result's type needs a bound of dimension " + Twine(dim));
    shape.push_back(*extent);
    sizes.push_back(number.known ? Value() : f.t.within(number.scalar, 0, *extent));
  }
  return Arrays{{make(RankedTensorType::get(shape, f.declared().getElementType())), sizes}};
}

/// All dimensions but the last ones are the same in operand and result.
static Form keepLeading(PaddedForm &f, unsigned kept) {
  Padded operand = f.at(f.op->getOperand(0));
  if (llvm::any_of(ArrayRef(operand.sizes).drop_front(kept), [](Value size) { return bool(size); }))
    return f.refuse("only its leading dimensions can have them");
  SmallVector<Value> sizes(f.declared().getRank());
  llvm::copy(ArrayRef(operand.sizes).take_front(kept), sizes.begin());
  return f.rebuild(operand.value, sizes);
}

static Form castBits(PaddedForm &f, BitcastConvertOp op) {
  int64_t from = typeOf(op.getOperand()).getRank(), to = op.getType().getRank();
  return keepLeading(f, std::min(from, to));
}

static Form barrier(PaddedForm &f) {
  Arrays arrays = f.at(f.op->getOperands());
  SmallVector<Value> values = valuesOf(arrays);
  Operation *made =
      OptimizationBarrierOp::create(f.t.b, f.t.loc, ValueRange(values).getTypes(), values);
  for (auto [array, result] : llvm::zip_equal(arrays, made->getResults()))
    array.value = result;
  return arrays;
}

/// The sizes stay on the device.
static Form place(PaddedForm &f, CustomCallOp op) {
  if (!isPlacement(op))
    return f.refuse("not supported");
  Padded array = f.at(op.getOperand(0));
  return f.rebuild(array.value, array.sizes);
}

static Form refuseTransfer(kernel::SendOp op) {
  return LogicalResult(emitUnimplemented(op)
                       << "transfers of arrays whose sizes depend on data are not supported");
}

static Form gatherOfKnownSizes(PaddedForm &f, DynamicGatherOp op) {
  SmallVector<int64_t> sizes;
  for (const Number &number : f.numbers(op.getSliceSizes())) {
    if (!number.known)
      return f.refuse("slices must have known sizes; read a larger one and set its size");
    sizes.push_back(*number.known);
  }
  auto made = GatherOp::create(f.t.b, f.t.loc, op.getType(), op.getOperand(), op.getStartIndices(),
                               op.getDimensionNumbers(), sizes, op.getIndicesAreSorted());
  PaddedForm inner(made, f.evaluator, f.arrays, f.visit);
  Form form = gather(inner, made);
  made.erase();
  return form;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static Form rewrite(PaddedForm &f) {
  Operation *op = f.op;
  SmallVector<Value> operands(op->getOperands());
  if (op->hasTrait<mlir::OpTrait::Elementwise>() || isa<SelectOp, ClampOp, MapOp>(op))
    return elementwise(f, operands);
  if (op->getName().getStringRef().starts_with("chlo.broadcast_"))
    return broadcastOperands(f);
  auto unknown = [&](auto) { return Form(f.refuse("not supported")); };
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](GetDimensionSizeOp op) { return getSize(f, op); })
      .Case([&](SetDimensionSizeOp op) { return setSize(f, op); })
      .Case([&](BroadcastInDimOp op) { return broadcastInDim(f); })
      .Case([&](DynamicBroadcastInDimOp op) { return dynamicBroadcast(f, op); })
      .Case<ReshapeOp, DynamicReshapeOp>([&](auto) { return reshape(f); })
      .Case([&](DynamicIotaOp op) {
        return create(f, op.getOutputShape(), [&](RankedTensorType type) {
          return f.t.iota(type.getElementType(), type.getShape(), op.getIotaDimension());
        });
      })
      .Case([&](RngOp op) {
        return create(f, op.getShape(), [&](RankedTensorType type) -> Value {
          Type i64 = f.t.b.getI64Type();
          Value shape = ConstantOp::create(
              f.t.b, f.t.loc,
              DenseElementsAttr::get(RankedTensorType::get({type.getRank()}, i64),
                                     ArrayRef<int64_t>(type.getShape())));
          return RngOp::create(f.t.b, f.t.loc, type, op.getA(), op.getB(), shape,
                               op.getRngDistribution());
        });
      })
      .Case([&](SliceOp op) { return slice(f, op); })
      .Case([&](RealDynamicSliceOp op) { return dynamicSlice(f, op); })
      .Case([&](PadOp op) { return pad(f, op); })
      .Case([&](DynamicPadOp op) { return dynamicPad(f, op); })
      .Case([&](ConcatenateOp op) { return concatenate(f, op); })
      .Case([&](ReverseOp op) { return reverse(f, op); })
      .Case([&](TransposeOp op) { return transpose(f, op); })
      .Case([&](ReduceOp op) { return reduce(f, op); })
      .Case([&](ReduceWindowOp op) { return reduceWindow(f, op); })
      .Case([&](SelectAndScatterOp op) { return selectAndScatter(f, op); })
      .Case([&](DotGeneralOp op) { return product(f, op); })
      .Case([&](DotOp op) { return dot(f, op); })
      .Case<EinsumOp, UnaryEinsumOp>([&](auto op) { return einsum(f, op.getEinsumConfig()); })
      .Case([&](ConvolutionOp op) {
        return convolution(f, op, f.at(op.getLhs()), f.at(op.getRhs()));
      })
      .Case([&](DynamicConvOp op) { return dynamicConvolution(f, op); })
      .Case([&](GatherOp op) { return gather(f, op); })
      .Case([&](DynamicGatherOp op) { return gatherOfKnownSizes(f, op); })
      .Case([&](ScatterOp op) { return scatter(f, op); })
      .Case([&](DynamicSliceOp op) { return sliceAt(f, op); })
      .Case([&](DynamicUpdateSliceOp op) { return updateAt(f, op); })
      .Case([&](SortOp op) { return sort(f, op); })
      .Case([&](chlo::TopKOp op) { return topK(f, op); })
      .Case([&](CholeskyOp op) { return cholesky(f, op); })
      .Case([&](TriangularSolveOp op) { return triangularSolve(f, op); })
      .Case([&](FftOp op) {
        return keepLeading(f, f.declared().getRank() - op.getFftLength().size());
      })
      .Case([&](BitcastConvertOp op) { return castBits(f, op); })
      .Case([&](OptimizationBarrierOp) { return barrier(f); })
      .Case([&](CustomCallOp op) { return place(f, op); })
      .Case(refuseTransfer)
      .Case<BatchNormInferenceOp, BatchNormTrainingOp, BatchNormGradOp>(
          [&](auto op) { return normalize(f, op.getFeatureIndex()); })
      .Case([&](WhileOp op) { return loop(f, op); })
      .Case<IfOp, CaseOp>([&](auto) { return choice(f); })
      .Default(unknown);
}

/// The lists of numbers that an operation takes as operands.
static SmallVector<Value> listsOf(Operation *op) {
  using Lists = SmallVector<Value>;
  return llvm::TypeSwitch<Operation *, Lists>(op)
      .Case([](SetDimensionSizeOp op) { return Lists{op.getSize()}; })
      .Case([](DynamicBroadcastInDimOp op) { return Lists{op.getOutputDimensions()}; })
      .Case([](DynamicReshapeOp op) { return Lists{op.getOutputShape()}; })
      .Case([](DynamicIotaOp op) { return Lists{op.getOutputShape()}; })
      .Case([](RngOp op) { return Lists{op.getShape()}; })
      .Case([](DynamicPadOp op) {
        return Lists{op.getEdgePaddingLow(), op.getEdgePaddingHigh(), op.getInteriorPadding()};
      })
      .Case([](RealDynamicSliceOp op) {
        return Lists{op.getStartIndices(), op.getLimitIndices(), op.getStrides()};
      })
      .Case([](DynamicGatherOp op) { return Lists{op.getSliceSizes()}; })
      .Case([](DynamicConvOp op) { return Lists{op.getPadding()}; })
      .Default([](Operation *) { return Lists(); });
}

bool dependsOnData(Operation *op, Evaluator &evaluator, const PaddedArrays &arrays) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return false;
  auto isPadded = [&](Value value) { return arrays.contains(value); };
  if (llvm::any_of(op->getOperands(), isPadded))
    return true;
  if (isa<WhileOp>(op))
    return llvm::any_of(op->getResultTypes(), isBounded);
  if (isa<IfOp, CaseOp>(op))
    return llvm::any_of(op->getRegions(), [&](Region &region) {
      return llvm::any_of(region.front().getTerminator()->getOperands(), isPadded);
    });
  // Values that decide no size leave the bound.
  bool hasBounds = llvm::any_of(op->getResultTypes(), isBounded);
  if (isa<BroadcastInDimOp, ReshapeOp>(op))
    return hasBounds;
  if (llvm::all_of(listsOf(op), [&](Value list) { return evaluator.integers(list).has_value(); }))
    return false;
  // The bound of a size that is set is the operand's size; amounts and positions are not sizes.
  if (isa<SetDimensionSizeOp, DynamicPadOp, DynamicConvOp>(op))
    return true;
  // A slice of known size that only begins anywhere is static.
  if (auto slice = dyn_cast<RealDynamicSliceOp>(op); slice && slice.getType().hasStaticShape()) {
    std::optional<Evaluator::Sizes> strides = evaluator.integers(slice.getStrides());
    return !strides || llvm::any_of(*strides, [](int64_t stride) { return stride != 1; });
  }
  return hasBounds;
}

/// The array with the sizes that the declared type has, which the program promises.
static Padded conform(PaddedTensors &t, Padded array, RankedTensorType declared) {
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    std::optional<int64_t> extent = extentOf(declared, dim);
    if (!array.sizes[dim] || !extent)
      continue;
    if (!declared.isDynamicDim(dim))
      array = t.fixed(array, dim, *extent);
    else if (*extent < array.shape()[dim])
      array = t.resized(array, dim, *extent);
  }
  return array;
}

FailureOr<Arrays> makePadded(Operation *op, Evaluator &evaluator, PaddedArrays &arrays,
                             function_ref<LogicalResult(Block &)> visit) {
  PaddedForm f(op, evaluator, arrays, visit);
  const SmallVector<Value> lists = listsOf(op);
  for (Value list : lists)
    if (!typeOf(list).hasStaticShape())
      return f.refuse("their number must be known");
  // Lists may have got another length than the one that there is a dimension for each number. Other
  // operations were verified with the types that their operands had before these were padded.
  if (!lists.empty() && failed(verify(op, /*verifyRecursively=*/false)))
    return failure();
  Form form = rewrite(f);
  if (failed(form))
    return failure();
  for (auto [array, result] : llvm::zip_equal(*form, op->getResults()))
    array = conform(f.t, array, typeOf(result));
  return form;
}

} // namespace systole::refine
