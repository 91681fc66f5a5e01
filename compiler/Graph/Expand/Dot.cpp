// Contractions that are none for the matrix unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

// Counts of ones are exact below 2^24, and beyond that not zero either.
Value expandPredicateDot(OpBuilder &b, DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto narrow = [&](Value value) -> Value {
    auto own = cast<RankedTensorType>(value.getType());
    return ConvertOp::create(b, loc, own.clone(b.getBF16Type()), value);
  };
  RankedTensorType counts = type.clone(b.getF32Type());
  Value count =
      DotGeneralOp::create(b, loc, counts, narrow(op.getLhs()), narrow(op.getRhs()),
                           op.getDotDimensionNumbersAttr(), ArrayAttr(), DotAlgorithmAttr());
  return ConvertOp::create(b, loc, type, count);
}

//===----------------------------------------------------------------------===//
// Batches of vectors
//===----------------------------------------------------------------------===//

static int64_t sizeOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims)
    size *= type.getDimSize(d);
  return size;
}

bool isBatchOfVectors(DotGeneralOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  int64_t batch = sizeOf(lhs, op.getLhsBatchingDims());
  int64_t results = cast<RankedTensorType>(op.getType()).getNumElements();
  return batch > 1 && results == batch && sizeOf(lhs, op.getLhsContractingDims()) > 0;
}

/// `value` with its batch first, then what is summed, and nothing else.
static Value inOrder(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> summed) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> order(batch), shape;
  llvm::append_range(order, summed);
  for (int64_t d : order)
    shape.push_back(type.getDimSize(d));
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(order, d))
      order.push_back(d); // of size 1
  value = TransposeOp::create(b, loc, value, order);
  return ReshapeOp::create(b, loc, type.clone(shape), value);
}

// The products of f32 are rounded once, those of narrower numbers not at all.
Value expandBatchOfVectors(OpBuilder &b, DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    element = b.getF32Type();
  else if (auto integer = cast<IntegerType>(element); integer.getWidth() < 32)
    element = IntegerType::get(b.getContext(), 32, integer.getSignedness());
  auto prepare = [&](Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> summed) -> Value {
    Value vectors = inOrder(b, loc, value, batch, summed);
    auto own = cast<RankedTensorType>(vectors.getType());
    return ConvertOp::create(b, loc, own.clone(element), vectors);
  };
  Value product = MulOp::create(
      b, loc, prepare(op.getLhs(), op.getLhsBatchingDims(), op.getLhsContractingDims()),
      prepare(op.getRhs(), op.getRhsBatchingDims(), op.getRhsContractingDims()));
  auto scalar = RankedTensorType::get({}, element);
  Value zero = ConstantOp::create(b, loc, cast<ElementsAttr>(b.getZeroAttr(scalar)));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(product.getType()).getShape();
  int64_t batchRank = op.getLhsBatchingDims().size();
  auto summed = llvm::to_vector(llvm::seq<int64_t>(batchRank, shape.size()));
  auto sums = RankedTensorType::get(shape.take_front(batchRank), element);
  auto sum =
      ReduceOp::create(b, loc, TypeRange(sums), ValueRange(product), ValueRange(zero), summed);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&sum.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value both = AddOp::create(b, loc, body->getArgument(0), body->getArgument(1));
    ReturnOp::create(b, loc, both);
  }
  Value result = ConvertOp::create(b, loc, sums.clone(type.getElementType()), sum.getResult(0));
  return ReshapeOp::create(b, loc, type, result);
}

} // namespace systole::expansion
