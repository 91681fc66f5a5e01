// Gathers and scatters along divided dimensions: indices that are relative to a core's part.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/IndexedParts.h"

#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/Terms.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

namespace {

/// Positions outside of an array: gathers clamp them, scatters drop them.
enum class Outside { Clamp, Drop };

/// Index vectors of a gather or scatter, a component for each indexed dimension.
class IndexVectors {
public:
  /// `dims` are the dimensions of the components, and `vectorDim` that of `indices` along which
  /// they lie, or its rank for single ones.
  IndexVectors(OpBuilder &b, Location loc, Value indices, int64_t vectorDim, ArrayRef<int64_t> dims,
               ArrayRef<int64_t> whole, ArrayRef<int64_t> part)
      : b(b), loc(loc), indices(indices), vectorDim(vectorDim), dims(dims), whole(whole),
        part(part) {}

  /// As i32, relative to the core's part. Positions outside of the array become its first and last
  /// ones, or stay outside. Components that are not divided are bounded by the operation itself.
  Value inPart(const Sharding &sharding, const Mesh &mesh, Outside outside) {
    SmallVector<int64_t> low, high;
    SmallVector<Value> starts;
    for (int64_t dim : dims) {
      const bool isClamped = outside == Outside::Clamp;
      low.push_back(isClamped ? 0 : -1);
      high.push_back(whole[size_t(dim)] - (isClamped && isDivided(dim) ? 1 : 0));
      SmallVector<int64_t> start;
      for (int64_t core = 0; core < mesh.size(); ++core)
        start.push_back(sharding.partOf(mesh, core, size_t(dim)) * part[size_t(dim)]);
      starts.push_back(perCore(b, loc, start));
    }
    const RankedTensorType type = typeOf(indices);
    Value bounded =
        ClampOp::create(b, loc, type, components(low, type), indices, components(high, type));
    const auto narrow = RankedTensorType::get(type.getShape(), b.getI32Type());
    Value start;
    if (isSingle()) {
      start = BroadcastInDimOp::create(b, loc, narrow, starts[0], ArrayRef<int64_t>());
    } else {
      const auto one = RankedTensorType::get({1}, b.getI32Type());
      for (Value &each : starts)
        each = ReshapeOp::create(b, loc, one, each);
      start = ConcatenateOp::create(
          b, loc, RankedTensorType::get({int64_t(starts.size())}, b.getI32Type()), starts, 0);
      start = BroadcastInDimOp::create(b, loc, narrow, start, ArrayRef<int64_t>(vectorDim));
    }
    local = SubtractOp::create(b, loc, ConvertOp::create(b, loc, narrow, bounded), start);
    return local;
  }

  /// Whether each of these vectors is within the core's part, without the dimension of components.
  Value areInside() {
    SmallVector<int64_t> low, high;
    for (int64_t dim : dims) {
      low.push_back(isDivided(dim) ? 0 : INT32_MIN);
      high.push_back(isDivided(dim) ? part[size_t(dim)] - 1 : INT32_MAX);
    }
    const RankedTensorType type = typeOf(local);
    auto compare = [&](ArrayRef<int64_t> bounds, ComparisonDirection direction) {
      return CompareOp::create(b, loc, local, components(bounds, type), direction,
                               ComparisonTypeAttr());
    };
    Value inside = AndOp::create(b, loc, compare(low, ComparisonDirection::GE),
                                 compare(high, ComparisonDirection::LE));
    return isSingle() ? inside : allOf(inside);
  }

private:
  bool isSingle() const { return vectorDim == typeOf(indices).getRank(); }
  bool isDivided(int64_t dim) const { return whole[size_t(dim)] != part[size_t(dim)]; }

  /// A number for each component, where the element type has it.
  Value components(ArrayRef<int64_t> numbers, RankedTensorType type) {
    auto element = cast<IntegerType>(type.getElementType());
    const unsigned bits = element.getWidth();
    SmallVector<APInt> values;
    for (int64_t number : numbers) {
      if (element.isUnsigned())
        number = std::max<int64_t>(number, 0);
      const APInt most = element.isUnsigned() ? APInt::getMaxValue(bits).zext(65)
                                              : APInt::getSignedMaxValue(bits).zext(65);
      const APInt wide(65, uint64_t(number), /*isSigned=*/true);
      values.push_back(wide.sgt(most) ? most.trunc(bits) : wide.trunc(bits));
    }
    SmallVector<int64_t> shape, along;
    if (!isSingle()) {
      shape.push_back(int64_t(values.size()));
      along.push_back(vectorDim);
    }
    Value vector = ConstantOp::create(
        b, loc, DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
    return BroadcastInDimOp::create(b, loc, type, vector, along);
  }

  Value allOf(Value flags) {
    const RankedTensorType type = typeOf(flags);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + vectorDim);
    const auto scalar = RankedTensorType::get({}, type.getElementType());
    Value start = ConstantOp::create(b, loc, DenseElementsAttr::get(scalar, true));
    auto all = ReduceOp::create(b, loc, TypeRange(RankedTensorType::get(shape, b.getI1Type())),
                                flags, start, ArrayRef<int64_t>(vectorDim));
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&all.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value both = AndOp::create(b, loc, body->getArgument(0), body->getArgument(1));
    ReturnOp::create(b, loc, both);
    return all->getResult(0);
  }

  OpBuilder &b;
  Location loc;
  Value indices, local;
  int64_t vectorDim;
  ArrayRef<int64_t> dims, whole, part;
};

bool divides(const Sharding &sharding, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t dim) { return sharding.parts(size_t(dim)) > 1; });
}

} // namespace

Value gatherFromPart(OpBuilder &b, GatherOp part, GatherOp whole, const Sharding &sharding,
                     const Mesh &mesh) {
  GatherDimensionNumbersAttr numbers = whole.getDimensionNumbers();
  if (!divides(sharding, numbers.getStartIndexMap()))
    return part.getResult();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  const Location loc = part.getLoc();
  IndexVectors vectors(b, loc, part.getStartIndices(), numbers.getIndexVectorDim(),
                       numbers.getStartIndexMap(), shapeOf(whole.getOperand()),
                       shapeOf(part.getOperand()));
  part->setOperand(1, vectors.inPart(sharding, mesh, Outside::Clamp));
  Value inside = vectors.areInside();
  b.setInsertionPointAfter(part);
  const RankedTensorType type = typeOf(part.getResult());
  SmallVector<int64_t> batch;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(numbers.getOffsetDims(), dim))
      batch.push_back(dim);
  inside = BroadcastInDimOp::create(b, loc, RankedTensorType::get(type.getShape(), b.getI1Type()),
                                    inside, batch);
  return SelectOp::create(b, loc, type, inside, part.getResult(), zeros(b, loc, type));
}

void scatterToPart(OpBuilder &b, ScatterOp part, ScatterOp whole, const Sharding &sharding,
                   const Mesh &mesh) {
  ScatterDimensionNumbersAttr numbers = whole.getScatterDimensionNumbers();
  if (!divides(sharding, numbers.getScatterDimsToOperandDims()))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(part);
  IndexVectors vectors(b, part.getLoc(), part.getScatterIndices(), numbers.getIndexVectorDim(),
                       numbers.getScatterDimsToOperandDims(), shapeOf(whole->getOperand(0)),
                       shapeOf(part->getOperand(0)));
  part->setOperand(unsigned(part.getInputs().size()),
                   vectors.inPart(sharding, mesh, Outside::Drop));
}

} // namespace systole::partition
