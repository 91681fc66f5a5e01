// Replaces operations whose sizes are operands by those with constant sizes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Refine/Refine.h"
#include "dialects/CHLO/CHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

using Sizes = Evaluator::Sizes;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

class StaticForms {
public:
  StaticForms(Operation *op, Evaluator &evaluator) : op(op), b(op), evaluator(evaluator) {}

  FailureOr<StaticForm> make();

private:
  Location loc() { return op->getLoc(); }
  /// The numbers of an operand; an error if they depend on data.
  FailureOr<Sizes> numbers(Value value, StringRef what);
  /// The same for sizes, which must not be negative.
  FailureOr<Sizes> sizes(Value value, StringRef what = "the sizes");
  /// The static result type: the declared one, or the one of the sizes that an operand lists.
  FailureOr<RankedTensorType> resultType(Value listed);
  /// An operation with one result, of the type that it infers; an error if the numbers are invalid.
  template <typename OpTy, typename... Args> FailureOr<Value> makeInferred(Args &&...args);

  FailureOr<Value> build(GetDimensionSizeOp op);
  FailureOr<Value> build(SetDimensionSizeOp op);
  FailureOr<Value> build(DynamicBroadcastInDimOp op);
  FailureOr<Value> build(DynamicReshapeOp op);
  FailureOr<Value> build(DynamicIotaOp op);
  FailureOr<Value> build(DynamicPadOp op);
  FailureOr<Value> build(RealDynamicSliceOp op);
  FailureOr<Value> build(DynamicGatherOp op);
  FailureOr<Value> build(DynamicConvOp op);
  FailureOr<Value> build(RngOp op);

  FailureOr<StaticForm> buildCall(CustomCallOp call);
  LogicalResult checkAssertion(CustomCallOp call);
  FailureOr<StaticForm> buildReduceWindow(CustomCallOp call);
  FailureOr<StaticForm> buildRandomBits(CustomCallOp call);
  FailureOr<StaticForm> buildTopK(CustomCallOp call);
  FailureOr<StaticForm> setResultShapes(CustomCallOp call);

  Operation *op;
  OpBuilder b;
  Evaluator &evaluator;
};

FailureOr<Sizes> StaticForms::numbers(Value value, StringRef what) {
  if (std::optional<Sizes> known = evaluator.integers(value))
    return *known;
  return emitUnimplemented(op) << what << " of '" << op->getName()
                               << "' depend on data; that is not supported";
}

FailureOr<Sizes> StaticForms::sizes(Value value, StringRef what) {
  FailureOr<Sizes> known = numbers(value, what);
  if (succeeded(known) && llvm::any_of(*known, [](int64_t size) { return size < 0; }))
    return op->emitOpError() << "has a result of negative size";
  return known;
}

FailureOr<RankedTensorType> StaticForms::resultType(Value listed) {
  RankedTensorType declared = typeOf(op->getResult(0));
  if (declared.hasStaticShape() && !evaluator.integers(listed))
    return declared;
  FailureOr<Sizes> known = sizes(listed);
  if (failed(known))
    return failure();
  return RankedTensorType::get(*known, declared.getElementType());
}

template <typename OpTy, typename... Args>
FailureOr<Value> StaticForms::makeInferred(Args &&...args) {
  OperationState state(loc(), OpTy::getOperationName());
  OpTy::build(b, state, op->getResult(0).getType(), std::forward<Args>(args)...);
  state.types.clear();
  if (failed(OpTy::inferReturnTypes(op->getContext(), loc(), state.operands,
                                    state.attributes.getDictionary(op->getContext()),
                                    state.getRawProperties(), {}, state.types)))
    return failure();
  return b.create(state)->getResult(0);
}

FailureOr<Value> StaticForms::build(GetDimensionSizeOp op) {
  int64_t size = typeOf(op.getOperand()).getDimSize(op.getDimension());
  if (ShapedType::isDynamic(size))
    return emitUnimplemented(op) << "the size of dimension " << op.getDimension() << " of "
                                 << op.getOperand().getType() << " is not known";
  if (size > INT32_MAX)
    return op.emitOpError() << "has a size that does not fit 32 bits: " << size;
  auto elements = DenseElementsAttr::get(op.getType(), b.getI32IntegerAttr(size).getValue());
  return Value(ConstantOp::create(b, loc(), elements));
}

FailureOr<Value> StaticForms::build(SetDimensionSizeOp op) {
  FailureOr<Sizes> size = numbers(op.getSize(), "the sizes");
  if (failed(size))
    return failure();
  RankedTensorType type = typeOf(op.getOperand());
  if (!type.hasStaticShape())
    return emitUnimplemented(op) << "the sizes of " << type << " are not known";
  auto dim = static_cast<int64_t>(op.getDimension());
  if (size->front() < 0 || size->front() > type.getDimSize(dim))
    return op.emitOpError() << "sets size " << size->front() << " of dimension " << dim
                            << ", which has " << type.getDimSize(dim) << " elements";
  Sizes starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
  limits[dim] = size->front();
  return makeInferred<SliceOp>(op.getOperand(), starts, limits, strides);
}

FailureOr<Value> StaticForms::build(DynamicBroadcastInDimOp op) {
  FailureOr<RankedTensorType> type = resultType(op.getOutputDimensions());
  if (failed(type))
    return failure();
  return Value(
      BroadcastInDimOp::create(b, loc(), *type, op.getOperand(), op.getBroadcastDimensions()));
}

FailureOr<Value> StaticForms::build(DynamicReshapeOp op) {
  FailureOr<RankedTensorType> type = resultType(op.getOutputShape());
  if (failed(type))
    return failure();
  return Value(ReshapeOp::create(b, loc(), *type, op.getOperand()));
}

FailureOr<Value> StaticForms::build(DynamicIotaOp op) {
  FailureOr<RankedTensorType> type = resultType(op.getOutputShape());
  if (failed(type))
    return failure();
  return Value(IotaOp::create(b, loc(), *type, op.getIotaDimension()));
}

FailureOr<Value> StaticForms::build(DynamicPadOp op) {
  FailureOr<Sizes> low = numbers(op.getEdgePaddingLow(), "the amounts"),
                   high = numbers(op.getEdgePaddingHigh(), "the amounts"),
                   inner = numbers(op.getInteriorPadding(), "the amounts");
  if (failed(low) || failed(high) || failed(inner))
    return failure();
  return makeInferred<PadOp>(op.getOperand(), op.getPaddingValue(), *low, *high, *inner);
}

/// A slice of constant size may begin anywhere.
FailureOr<Value> StaticForms::build(RealDynamicSliceOp op) {
  std::optional<Sizes> starts = evaluator.integers(op.getStartIndices()),
                       strides = evaluator.integers(op.getStrides());
  RankedTensorType type = typeOf(op.getResult());
  if (!starts && strides && type.hasStaticShape() &&
      llvm::all_of(*strides, [](int64_t stride) { return stride == 1; })) {
    SmallVector<Value> scalars;
    auto scalar = RankedTensorType::get({}, typeOf(op.getStartIndices()).getElementType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value one = SliceOp::create(b, loc(), op.getStartIndices(), Sizes{d}, Sizes{d + 1}, Sizes{1});
      scalars.push_back(ReshapeOp::create(b, loc(), scalar, one));
    }
    return makeInferred<DynamicSliceOp>(op.getOperand(), scalars, type.getShape());
  }
  FailureOr<Sizes> from = numbers(op.getStartIndices(), "the positions"),
                   to = numbers(op.getLimitIndices(), "the positions"),
                   by = numbers(op.getStrides(), "the strides");
  if (failed(from) || failed(to) || failed(by))
    return failure();
  return makeInferred<SliceOp>(op.getOperand(), *from, *to, *by);
}

FailureOr<Value> StaticForms::build(DynamicGatherOp op) {
  FailureOr<Sizes> slice = numbers(op.getSliceSizes(), "the sizes");
  if (failed(slice))
    return failure();
  return makeInferred<GatherOp>(op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
                                *slice, op.getIndicesAreSorted());
}

FailureOr<Value> StaticForms::build(DynamicConvOp op) {
  FailureOr<Sizes> padding = numbers(op.getPadding(), "the amounts");
  if (failed(padding))
    return failure();
  auto amounts = DenseIntElementsAttr::get(
      RankedTensorType::get(typeOf(op.getPadding()).getShape(), b.getI64Type()), *padding);
  return Value(ConvolutionOp::create(b, loc(), op.getType(), op.getLhs(), op.getRhs(),
                                     op.getWindowStridesAttr(), amounts, op.getLhsDilationAttr(),
                                     op.getRhsDilationAttr(), op.getWindowReversalAttr(),
                                     op.getDimensionNumbersAttr(), op.getFeatureGroupCountAttr(),
                                     op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr()));
}

FailureOr<Value> StaticForms::build(RngOp op) {
  FailureOr<RankedTensorType> type = resultType(op.getShape());
  if (failed(type))
    return failure();
  return Value(
      RngOp::create(b, loc(), *type, op.getA(), op.getB(), op.getShape(), op.getRngDistribution()));
}

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

/// The message of an assertion, in which `{i}` stands for operand i + 1.
LogicalResult StaticForms::checkAssertion(CustomCallOp call) {
  if (call.getNumOperands() == 0 || call.getNumResults() != 0)
    return call.emitOpError("requires a condition and no results");
  FailureOr<Sizes> isTrue = numbers(call.getOperand(0), "the conditions");
  if (failed(isTrue))
    return failure();
  if (llvm::none_of(*isTrue, [](int64_t value) { return value == 0; }))
    return success();
  auto message = call->getAttrOfType<StringAttr>("error_message");
  std::string text = message ? message.str() : "an assertion about shapes does not hold";
  for (auto [i, operand] : llvm::enumerate(call.getOperands().drop_front())) {
    std::string place = ("{" + Twine(i) + "}").str();
    std::optional<Sizes> value = evaluator.integers(operand);
    std::string number = value && value->size() == 1 ? std::to_string(value->front()) : "?";
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += number.size())
      text.replace(at, place.size(), number);
  }
  return call.emitError() << text;
}

FailureOr<StaticForm> StaticForms::buildReduceWindow(CustomCallOp call) {
  // Inputs, as many initial values, and five lists of numbers.
  constexpr unsigned kLists = 5;
  unsigned operands = call.getNumOperands();
  std::optional<ArrayAttr> callees = call.getCalledComputations();
  if (operands < kLists + 2 || (operands - kLists) % 2 != 0 || !callees || callees->size() != 1)
    return call.emitOpError("requires inputs, initial values, five lists of numbers and a body");
  unsigned count = (operands - kLists) / 2;
  SmallVector<Sizes> lists;
  for (Value list : call.getOperands().take_back(kLists)) {
    FailureOr<Sizes> known = numbers(list, "the sizes of windows");
    if (failed(known))
      return failure();
    lists.push_back(*known);
  }
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, cast<FlatSymbolRefAttr>((*callees)[0]));
  if (!callee || callee.isExternal() || callee.getNumArguments() != 2 * count)
    return call.emitOpError("has no body of two arguments for each input");
  // Each body is cloned, and so would be what it calls, without end if that is itself.
  if (callee
          .walk([](CustomCallOp inner) {
            ArrayAttr called = inner.getCalledComputationsAttr();
            return called && !called.empty() ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted())
    return emitUnimplemented(call) << "a body with a body of its own is not supported";
  auto pairs =
      RankedTensorType::get({static_cast<int64_t>(lists[4].size()) / 2, 2}, b.getI64Type());
  if (lists[4].size() % 2 != 0)
    return call.emitOpError("requires a padding of pairs");
  auto made = ReduceWindowOp::create(
      b, loc(), call.getResultTypes(), call.getOperands().take_front(count),
      call.getOperands().slice(count, count), b.getDenseI64ArrayAttr(lists[0]),
      b.getDenseI64ArrayAttr(lists[1]), b.getDenseI64ArrayAttr(lists[2]),
      b.getDenseI64ArrayAttr(lists[3]), DenseIntElementsAttr::get(pairs, lists[4]));
  IRMapping mapping;
  callee.getBody().cloneInto(&made.getBody(), mapping);
  Operation *last = made.getBody().front().getTerminator();
  OpBuilder end(last);
  ReturnOp::create(end, last->getLoc(), last->getOperands());
  last->erase();
  return StaticForm{true, SmallVector<Value>(made.getResults())};
}

FailureOr<StaticForm> StaticForms::buildRandomBits(CustomCallOp call) {
  auto algorithm = call->getAttrOfType<RngAlgorithmAttr>("rng_algorithm");
  if (call.getNumOperands() != 2 || call.getNumResults() != 2 || !algorithm)
    return call.emitOpError("requires a state, a shape and an algorithm");
  FailureOr<Sizes> shape = sizes(call.getOperand(1));
  if (failed(shape))
    return failure();
  Type bits = RankedTensorType::get(*shape, typeOf(call.getResult(1)).getElementType());
  Type state = call.getOperand(0).getType();
  auto made = RngBitGeneratorOp::create(b, loc(), state, bits, call.getOperand(0), algorithm);
  return StaticForm{true, SmallVector<Value>(made->getResults())};
}

FailureOr<StaticForm> StaticForms::buildTopK(CustomCallOp call) {
  if (call.getNumOperands() != 2 || call.getNumResults() != 2)
    return call.emitOpError("requires an operand and a number, and has two results");
  FailureOr<Sizes> k = sizes(call.getOperand(1), "the numbers");
  RankedTensorType type = typeOf(call.getOperand(0));
  if (failed(k))
    return failure();
  if (k->size() != 1 || type.getRank() == 0)
    return call.emitOpError("requires one number, and an operand with a dimension");
  Sizes shape(type.getShape());
  shape.back() = k->front();
  auto made = chlo::TopKOp::create(b, loc(), type.clone(shape), type.clone(shape, b.getI32Type()),
                                   call.getOperand(0), k->front());
  return StaticForm{true, SmallVector<Value>(made->getResults())};
}

/// Other calls list the shapes of their results in their last operands.
FailureOr<StaticForm> StaticForms::setResultShapes(CustomCallOp call) {
  constexpr StringLiteral name = "indices_of_shape_operands";
  auto indices = call->getAttrOfType<DenseIntElementsAttr>(name);
  if (!indices)
    return StaticForm();
  if (indices.getNumElements() != call.getNumResults() ||
      call.getNumOperands() < call.getNumResults())
    return call.emitOpError("requires a shape for each result");
  unsigned inputs = call.getNumOperands() - call.getNumResults();
  SmallVector<Type> types;
  for (auto [i, index, result] :
       llvm::enumerate(indices.getValues<APInt>(), call.getResultTypes())) {
    if (index != inputs + i)
      return call.emitOpError("requires the shapes of results as its last operands");
    FailureOr<Sizes> shape = sizes(call.getOperand(inputs + i));
    if (failed(shape))
      return failure();
    types.push_back(RankedTensorType::get(*shape, cast<ShapedType>(result).getElementType()));
  }
  OperationState state(loc(), call->getName());
  state.addOperands(call.getOperands().take_front(inputs));
  state.addTypes(types);
  state.addAttributes(call->getAttrs());
  state.attributes.erase(name);
  // These describe the shapes, too.
  if (auto layouts = call.getOperandLayouts())
    state.attributes.set("operand_layouts", b.getArrayAttr(layouts->getValue().take_front(inputs)));
  Operation *made = b.create(state);
  return StaticForm{true, SmallVector<Value>(made->getResults())};
}

FailureOr<StaticForm> StaticForms::buildCall(CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  if (target == "shape_assertion") {
    if (failed(checkAssertion(call)))
      return failure();
    return StaticForm{true, {}};
  }
  if (target == "stablehlo.dynamic_reduce_window")
    return buildReduceWindow(call);
  if (target == "stablehlo.dynamic_rng_bit_generator")
    return buildRandomBits(call);
  if (target == "stablehlo.dynamic_top_k")
    return buildTopK(call);
  return setResultShapes(call);
}

FailureOr<StaticForm> StaticForms::make() {
  using Result = FailureOr<StaticForm>;
  auto replace = [&](auto op) -> Result {
    FailureOr<Value> made = build(op);
    if (failed(made))
      return failure();
    return StaticForm{true, {*made}};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<GetDimensionSizeOp, SetDimensionSizeOp, DynamicBroadcastInDimOp, DynamicReshapeOp,
            DynamicIotaOp, DynamicPadOp, RealDynamicSliceOp, DynamicGatherOp, DynamicConvOp>(
          replace)
      .Case([&](RngOp op) -> Result {
        if (!op.getType().hasStaticShape())
          return replace(op);
        FailureOr<RankedTensorType> type = resultType(op.getShape());
        if (failed(type))
          return failure();
        return *type == op.getType() ? Result(StaticForm()) : replace(op);
      })
      .Case([&](CustomCallOp call) { return buildCall(call); })
      .Default([](Operation *) { return Result(StaticForm()); });
}

} // namespace

FailureOr<StaticForm> makeStatic(Operation *op, Evaluator &evaluator) {
  return StaticForms(op, evaluator).make();
}

} // namespace systole::refine
