// Builds tensor operations, folding identities.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Tensors.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tensor/OpKinds.h"

#include "mlir/IR/IRMapping.h"

#include <cassert>
#include <complex>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

static bool isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Tensors::constant(DenseElementsAttr scalar, Sizes shape) {
  auto type = cast<RankedTensorType>(scalar.getType()).clone(shape);
  return ConstantOp::create(b, loc, scalar.resizeSplat(type));
}

Value Tensors::number(Type element, int64_t value, Sizes shape) {
  if (isa<FloatType>(element))
    return real(element, static_cast<double>(value), shape);
  auto type = RankedTensorType::get(shape, element);
  APInt bits(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true);
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, bits));
}

Value Tensors::real(Type element, double value, Sizes shape) {
  auto type = RankedTensorType::get(shape, element);
  auto complex = dyn_cast<ComplexType>(element);
  auto part = cast<FloatType>(complex ? complex.getElementType() : element);
  APFloat number(value);
  bool losesInfo;
  number.convert(part.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (!complex)
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
  std::complex<APFloat> both(number, APFloat::getZero(part.getFloatSemantics()));
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, both));
}

Value Tensors::iota(Type element, Sizes shape, int64_t dim) {
  return IotaOp::create(b, loc, RankedTensorType::get(shape, element), dim);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value Tensors::fill(Value value, Sizes shape) {
  if (shapeOf(value) == shape)
    return value;
  assert(typeOf(value).getRank() == 0 && "fills a shape with a scalar");
  return BroadcastInDimOp::create(b, loc, typeOf(value).clone(shape), value, Sizes());
}

Value Tensors::spread(Value value, Sizes shape, Sizes dims) {
  assert(typeOf(value).getRank() == int64_t(dims.size()) && "a place for each dimension");
  assert(llvm::all_of(dims, [&](int64_t dim) { return dim < int64_t(shape.size()); }) &&
         "dimensions of the result");
  return BroadcastInDimOp::create(b, loc, typeOf(value).clone(shape), value, dims);
}

Value Tensors::reshape(Value value, Sizes shape) {
  if (shapeOf(value) == shape)
    return value;
  assert(typeOf(value).clone(shape).getNumElements() == typeOf(value).getNumElements() &&
         "a reshape keeps the number of elements");
  return ReshapeOp::create(b, loc, typeOf(value).clone(shape), value);
}

Value Tensors::transpose(Value value, Sizes order) {
  assert(typeOf(value).getRank() == int64_t(order.size()) && "an order of all dimensions");
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return value;
  return TransposeOp::create(b, loc, value, order);
}

Value Tensors::convert(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return ConvertOp::create(b, loc, typeOf(value).clone(element), value);
}

Value Tensors::bitcast(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  assert(typeOf(value).getElementTypeBitWidth() == element.getIntOrFloatBitWidth() &&
         "a bitcast keeps the width of elements");
  return BitcastConvertOp::create(b, loc, typeOf(value).clone(element), value);
}

Value Tensors::slice(Value value, Sizes starts, Sizes limits, Sizes strides) {
  if (isAll(starts, 0) && limits == shapeOf(value) && isAll(strides, 1))
    return value;
  assert(llvm::all_of(llvm::zip_equal(starts, limits, shapeOf(value)),
                      [](auto range) {
                        auto [start, limit, size] = range;
                        return start >= 0 && start <= limit && limit <= size;
                      }) &&
         "a slice lies inside of the tensor");
  return SliceOp::create(b, loc, value, starts, limits, strides);
}

Value Tensors::slice(Value value, int64_t dim, int64_t start, int64_t count, int64_t stride) {
  int64_t rank = typeOf(value).getRank();
  assert(dim >= 0 && dim < rank && stride > 0 && "a dimension of the tensor");
  SmallVector<int64_t> starts(rank, 0), limits(shapeOf(value)), strides(rank, 1);
  starts[dim] = start;
  limits[dim] = count == 0 ? start : start + (count - 1) * stride + 1;
  strides[dim] = stride;
  return slice(value, starts, limits, strides);
}

Value Tensors::take(Value value, int64_t dim, int64_t index) {
  SmallVector<int64_t> shape(shapeOf(value));
  shape.erase(shape.begin() + dim);
  return reshape(slice(value, dim, index, 1), shape);
}

Value Tensors::pad(Value value, Value padding, Sizes low, Sizes high, Sizes interior) {
  if (isAll(low, 0) && isAll(high, 0) && isAll(interior, 0))
    return value;
  assert(low.size() == high.size() && low.size() == interior.size() &&
         typeOf(value).getRank() == int64_t(low.size()) && "padding of all dimensions");
  return PadOp::create(b, loc, value, padding, low, high, interior);
}

Value Tensors::concatenate(ValueRange values, int64_t dim) {
  assert(!values.empty() && "concatenates at least one tensor");
  return values.size() == 1 ? values.front() : Value(ConcatenateOp::create(b, loc, values, dim));
}

Value Tensors::stack(ValueRange values, int64_t dim) {
  SmallVector<int64_t> shape(shapeOf(values.front()));
  shape.insert(shape.begin() + dim, 1);
  return concatenate(
      llvm::map_to_vector(values, [&](Value value) { return reshape(value, shape); }), dim);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value Tensors::compare(Direction direction, Value x, Value y) {
  return CompareOp::create(b, loc, x, y, direction, ComparisonTypeAttr());
}

Value Tensors::select(Value mask, Value x, Value y) {
  assert(x.getType() == y.getType() && shapeOf(mask) == shapeOf(x) && "selects element by element");
  return SelectOp::create(b, loc, mask, x, y);
}

SmallVector<Value> Tensors::sort(ValueRange arrays, int64_t dim,
                                 function_ref<Value(ValueRange, ValueRange)> isBefore) {
  auto sort = SortOp::create(b, loc, arrays.getTypes(), arrays, dim, /*is_stable=*/true);
  SmallVector<Type> pairs;
  for (Value array : arrays)
    pairs.append(2, RankedTensorType::get({}, typeOf(array).getElementType()));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&sort.getComparator(), {}, pairs, SmallVector<Location>(pairs.size(), loc));
  SmallVector<Value> first, second;
  for (size_t number = 0; number < arrays.size(); ++number) {
    first.push_back(body->getArgument(2 * number));
    second.push_back(body->getArgument(2 * number + 1));
  }
  ReturnOp::create(b, loc, isBefore(first, second));
  return SmallVector<Value>(sort.getResults());
}

SmallVector<Value> Tensors::loop(ValueRange values, function_ref<Value(ValueRange)> condition,
                                 function_ref<SmallVector<Value>(ValueRange)> body) {
  SmallVector<Type> types(values.getTypes());
  SmallVector<Location> locations(types.size(), loc);
  auto loop = WhileOp::create(b, loc, types, values);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getCond(), {}, types, locations);
  ReturnOp::create(b, loc, condition(block->getArguments()));
  block = b.createBlock(&loop.getBody(), {}, types, locations);
  SmallVector<Value> next = body(block->getArguments());
  assert(ValueRange(next).getTypes() == ValueRange(values).getTypes() &&
         "loop-carried values keep their types");
  ReturnOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Tensors::repeat(int64_t times, ValueRange values,
                                   function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (times == 0)
    return SmallVector<Value>(values);
  Type i32 = b.getI32Type();
  SmallVector<Value> operands = {number(i32, 0)};
  llvm::append_range(operands, values);
  auto isLeft = [&](ValueRange now) { return compare(Direction::LT, now[0], number(i32, times)); };
  SmallVector<Value> results = loop(operands, isLeft, [&](ValueRange now) {
    SmallVector<Value> next = {apply<AddOp>(now[0], number(i32, 1))};
    llvm::append_range(next, body(now[0], now.drop_front()));
    return next;
  });
  results.erase(results.begin());
  return results;
}

/// Whether an operation is elementwise, including those that only apply to scalars.
static bool isElementwise(Operation *op) {
  return kindOf(op) == OpKind::Elementwise || isa<ConstantOp>(op) || isa<ReshapeOp>(op) ||
         isa<BroadcastInDimOp>(op);
}

LogicalResult checkElementwise(Region &body) {
  for (Operation &op : body.front().without_terminator()) {
    auto isScalar = [](Type type) { return cast<RankedTensorType>(type).getRank() == 0; };
    if (!isElementwise(&op) || !llvm::all_of(op.getResultTypes(), isScalar) ||
        !llvm::all_of(op.getOperandTypes(), isScalar))
      return emitUnsupported(&op, " in the body of '" +
                                      body.getParentOp()->getName().getStringRef() + "'");
  }
  return success();
}

SmallVector<Value> applyBody(Tensors &t, Region &body, ValueRange args) {
  SmallVector<int64_t> shape(shapeOf(args.front()));
  assert(llvm::all_of(args, [&](Value arg) { return shapeOf(arg) == ArrayRef(shape); }) &&
         "the body is applied to tensors of one shape");
  IRMapping mapping;
  mapping.map(body.getArguments(), args);
  // Values from outside of the body are uniform.
  auto get = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value, t.fill(value, shape));
    return mapping.lookup(value);
  };
  for (Operation &op : body.front().without_terminator()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      mapping.map(constant, t.constant(cast<DenseElementsAttr>(constant.getValue()), shape));
      continue;
    }
    if (isa<ReshapeOp, BroadcastInDimOp>(op)) {
      mapping.map(op.getResult(0), get(op.getOperand(0)));
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.addOperands(get(operand));
    state.addTypes(typeOf(op.getResult(0)).clone(shape));
    state.addAttributes(op.getAttrs());
    mapping.map(op.getResult(0), t.b.create(state)->getResult(0));
  }
  return llvm::map_to_vector(body.front().getTerminator()->getOperands(), get);
}

} // namespace systole::expansion
