// Arrays of what a value of a loop is in each trip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Stacks.h"

#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
}

bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  return isa<FloatType>(elements.getElementType()) ? elements.getSplatValue<APFloat>().isPosZero()
                                                   : elements.getSplatValue<APInt>().isZero();
}

Value stackedRow(const CountedLoop &loop, unsigned number, const TripSlice &stack) {
  auto update =
      loop.body().getTerminator()->getOperand(number).getDefiningOp<DynamicUpdateSliceOp>();
  Value row = update.getUpdate();
  SmallVector<int64_t> shape(shapeOf(row));
  shape.erase(shape.begin() + stack.dim);
  auto broadcast = row.getDefiningOp<BroadcastInDimOp>();
  if (row.getDefiningOp<ReshapeOp>() ||
      (broadcast && llvm::is_sorted(broadcast.getBroadcastDimensions())))
    row = row.getDefiningOp()->getOperand(0);
  return shapeOf(row) == ArrayRef(shape) && !loop.isInvariant(row) ? row : Value();
}

Stacks::Stacks(const CountedLoop &loop) : loop(loop) {
  for (unsigned i = 0; i < loop.body().getNumArguments(); ++i)
    if (std::optional<TripSlice> stack = loop.stackedIn(i))
      if (Value row = stackedRow(loop, i, *stack))
        stacks.try_emplace(row, Stack{stack->index, stack->position, stack->array, stack->dim});
}

bool Stacks::request(ArrayRef<Value> values, int64_t mostBytes, const TripSlice *like) {
  SmallVector<std::optional<Stack>> found;
  std::optional<Stack> order; // the first that there is
  if (like)
    order = Stack{like->index, like->position, nullptr, 0};
  for (Value value : values) {
    // Sums of products with what no trip changes are not of this form.
    if (loop.isInvariant(value))
      return false;
    std::optional<Stack> stack;
    if (auto it = stacks.find(value); it != stacks.end())
      stack = it->second;
    else if (std::optional<TripSlice> slice = loop.sliceOf(value))
      stack = Stack{slice->index, slice->position, slice->array, slice->dim};
    if (stack && !order)
      order = stack;
    found.push_back(stack);
  }
  if (!order) {
    Value trip = loop.tripNumber();
    if (!trip)
      return false;
    order = Stack{{0, 1}, trip, nullptr, 0};
  }
  int64_t bytes = 0;
  for (auto [value, stack] : llvm::zip_equal(values, found)) {
    if (stack && stack->index == order->index)
      continue;
    // Another stack in the other order would be in the way of this one.
    if (stack)
      return false;
    bytes += bytesOf(typeOf(value));
    stack = Stack{order->index, order->position, nullptr, 0};
  }
  if (bytes > mostBytes || (newBytes + bytes) * loop.trips() > kMostStackBytes)
    return false;
  newBytes += bytes;
  for (auto [value, stack] : llvm::zip_equal(values, found))
    stacks.try_emplace(value, *stack);
  return true;
}

WhileOp Stacks::build() {
  WhileOp old = loop.op();
  OpBuilder b(old);
  Location loc = old.getLoc();
  SmallVector<Value> inits(old.getOperand());
  SmallVector<Stack *> added;
  Block &cond = old.getCond().front(), &body = old.getBody().front();
  for (auto &[value, stack] : stacks) {
    if (stack.array)
      continue;
    SmallVector<int64_t> shape{loop.trips()}, row{1};
    llvm::append_range(shape, shapeOf(value));
    llvm::append_range(row, shapeOf(value));
    RankedTensorType type = typeOf(value).clone(shape);
    auto zero = cast<DenseElementsAttr>(b.getZeroAttr(type));
    inits.push_back(ConstantOp::create(b, loc, zero));
    added.push_back(&stack);

    cond.addArgument(type, loc);
    BlockArgument array = body.addArgument(type, loc);
    OpBuilder inner(body.getTerminator());
    Value update = ReshapeOp::create(inner, loc, typeOf(value).clone(row), value);
    auto indexType = typeOf(stack.position);
    Value first =
        ConstantOp::create(inner, loc, cast<DenseElementsAttr>(inner.getZeroAttr(indexType)));
    SmallVector<Value> starts(shape.size(), first);
    starts.front() = stack.position;
    Value next = DynamicUpdateSliceOp::create(inner, loc, type, array, update, starts);
    body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(), next);
  }
  if (added.empty())
    return old;
  auto loop = WhileOp::create(b, loc, TypeRange(ValueRange(inits)), inits);
  loop.getCond().takeBody(old.getCond());
  loop.getBody().takeBody(old.getBody());
  unsigned count = old.getNumOperands();
  for (unsigned i = 0; i < count; ++i)
    old.getResult(i).replaceAllUsesWith(loop.getResult(i));
  for (auto &[value, stack] : stacks)
    if (auto result = dyn_cast_or_null<OpResult>(stack.array); result && result.getOwner() == old)
      stack.array = loop.getResult(result.getResultNumber());
  for (auto [i, stack] : llvm::enumerate(added))
    stack->array = loop.getResult(count + i);
  old.erase();
  return loop;
}

Value Stacks::read(OpBuilder &b, Value value) {
  const Stack &stack = stacks.find(value)->second;
  return readStack(b, stack.array, stack.dim, shapeOf(value));
}

Value moveDim(OpBuilder &b, Value array, int64_t from, int64_t to) {
  if (from == to)
    return array;
  RankedTensorType type = typeOf(array);
  SmallVector<int64_t> order, shape;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != from)
      order.push_back(d);
  order.insert(order.begin() + to, from);
  for (int64_t d : order)
    shape.push_back(type.getDimSize(d));
  return TransposeOp::create(b, array.getLoc(), type.clone(shape), array, order);
}

Value readStack(OpBuilder &b, Value array, int64_t dim, ArrayRef<int64_t> row) {
  array = moveDim(b, array, dim, 0);
  SmallVector<int64_t> shape{typeOf(array).getDimSize(0)};
  llvm::append_range(shape, row);
  if (shapeOf(array) == ArrayRef(shape))
    return array;
  return ReshapeOp::create(b, array.getLoc(), typeOf(array).clone(shape), array);
}

} // namespace systole
