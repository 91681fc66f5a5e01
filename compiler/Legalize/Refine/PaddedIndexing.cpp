// Operations at positions in padded arrays, and sorts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"
#include "compiler/Tensor/Identities.h"
#include "dialects/StableHLO/Reducers.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

/// Indices as i32; those that it cannot hold are beyond all arrays.
Value asPositions(PaddedTensors &t, Value indices) {
  auto element = cast<IntegerType>(typeOf(indices).getElementType());
  SmallVector<int64_t> shape(shapeOf(indices));
  if (element.getWidth() > 32 && !element.isUnsigned())
    indices = t.apply<MaxOp>(indices, t.number(element, INT32_MIN, shape));
  if (element.getWidth() > 32 || (element.isUnsigned() && element.getWidth() == 32))
    indices = t.apply<MinOp>(indices, t.number(element, INT32_MAX, shape));
  return t.convert(indices, t.b.getI32Type());
}

/// The entries of each index lie along dimension `dim` of the indices, or are all of one dimension.
Value spreadEntries(PaddedTensors &t, ArrayRef<Value> entries, ArrayRef<int64_t> shape,
                    int64_t dim) {
  if (dim == static_cast<int64_t>(shape.size()))
    return t.fill(entries.front(), shape);
  return t.spread(t.stack(entries, 0), shape, {dim});
}

/// The first position at which a window of `size` does not fit, minus one.
Value lastStart(PaddedTensors &t, const Padded &array, int64_t dim, int64_t size) {
  return t.plus(t.length(array, dim), -size);
}

bool isPaddedIn(const Padded &array, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t dim) { return bool(array.sizes[dim]); });
}

/// The dimensions that `others` does not list.
SmallVector<int64_t> dimsWithout(int64_t rank, ArrayRef<int64_t> others) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(others, dim))
      dims.push_back(dim);
  return dims;
}

/// The size that a slice has along a dimension: that of the array if it takes all of it.
Value sliceSize(const Padded &array, int64_t dim, int64_t size) {
  return size == array.shape()[dim] ? array.sizes[dim] : Value();
}

} // namespace

//===----------------------------------------------------------------------===//
// dynamic_slice, dynamic_update_slice
//===----------------------------------------------------------------------===//

/// Start indices so that a window of these sizes is inside of the array.
static SmallVector<Value> startsInside(PaddedTensors &t, const Padded &array, ValueRange starts,
                                       function_ref<Value(int64_t)> length) {
  SmallVector<Value> result;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    Value last = t.apply<SubtractOp>(t.length(array, dim), length(dim));
    Value before = t.apply<MinOp>(asPositions(t, start), last);
    result.push_back(t.atLeast(before, 0));
  }
  return result;
}

Form sliceAt(PaddedForm &f, DynamicSliceOp op) {
  Padded array = f.at(op.getOperand());
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  SmallVector<Value> operands = {array.value};
  llvm::append_range(operands, startsInside(f.t, array, op.getStartIndices(),
                                            [&](int64_t dim) { return f.t.scalar(sizes[dim]); }));
  SmallVector<Value> kept;
  for (int64_t dim = 0; dim < array.rank(); ++dim)
    kept.push_back(sliceSize(array, dim, sizes[dim]));
  return f.rebuild(operands, kept);
}

/// Elements of the array remain where an update has padding.
Form updateAt(PaddedForm &f, DynamicUpdateSliceOp op) {
  PaddedTensors &t = f.t;
  Padded array = f.at(op.getOperand()), update = f.at(op.getUpdate());
  SmallVector<Value> starts = startsInside(t, array, op.getStartIndices(),
                                           [&](int64_t dim) { return t.length(update, dim); });
  SmallVector<int64_t> none(array.rank(), 0), high = none, partial;
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    if (!update.sizes[dim])
      continue;
    high[dim] = update.shape()[dim];
    partial.push_back(dim);
  }
  for (auto [own, other] : llvm::zip_equal(array.shape(), update.shape()))
    if (other > own)
      return op.emitOpError() << "has an update of " << other << " elements for " << own;
  Value wide = t.pad(array.value, t.zero(array.element()), none, high, none);
  if (!partial.empty()) {
    Value old = DynamicSliceOp::create(t.b, t.loc, wide, starts, update.shape());
    update = t.masked(update, old, partial);
  }
  Value result = DynamicUpdateSliceOp::create(t.b, t.loc, wide, update.value, starts);
  SmallVector<int64_t> strides(array.rank(), 1);
  return Arrays{{t.slice(result, none, array.shape(), strides), array.sizes}};
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

Form gather(PaddedForm &f, GatherOp op) {
  PaddedTensors &t = f.t;
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  Arrays arrays = f.at(op->getOperands());
  for (auto [own, other] :
       llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
    t.align(arrays, {{0, own}, {1, other}});
  Padded &array = arrays[0], &indices = arrays[1];
  ArrayRef<int64_t> map = numbers.getStartIndexMap(), sizes = op.getSliceSizes();
  int64_t vector = numbers.getIndexVectorDim();
  if (vector < indices.rank() && indices.sizes[vector])
    return f.refuse("indices must have a known number of entries");
  if (isPaddedIn(array, map)) {
    Value positions = asPositions(t, indices.value);
    SmallVector<int64_t> shape(indices.shape());
    auto last = llvm::map_to_vector(
        map, [&](int64_t dim) { return t.atLeast(lastStart(t, array, dim, sizes[dim]), 0); });
    positions = t.apply<MaxOp>(positions, t.number(t.b.getI32Type(), 0, shape));
    indices.value = t.apply<MinOp>(positions, spreadEntries(t, last, shape, vector));
  }
  SmallVector<int64_t> dropped(numbers.getCollapsedSliceDims());
  llvm::append_range(dropped, numbers.getOperandBatchingDims());
  SmallVector<int64_t> window = dimsWithout(array.rank(), dropped),
                       batch = dimsWithout(indices.rank(), {vector});
  SmallVector<Value> kept;
  const int64_t *nextWindow = window.begin(), *nextBatch = batch.begin();
  for (int64_t dim = 0; dim < f.declared().getRank(); ++dim)
    if (llvm::is_contained(numbers.getOffsetDims(), dim)) {
      kept.push_back(sliceSize(array, *nextWindow, sizes[*nextWindow]));
      ++nextWindow;
    } else {
      kept.push_back(indices.sizes[*nextBatch++]);
    }
  return f.rebuild({array.value, indices.value}, kept);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

namespace {

/// Updates of padding are skipped, as those are whose windows are not inside of the arrays.
class PaddedScatter {
public:
  PaddedScatter(PaddedForm &f, ScatterOp op)
      : f(f), t(f.t), op(op), numbers(op.getScatterDimensionNumbers()),
        arrays(f.at(op->getOperands())), count(op.getInputs().size()) {}

  Form run();

private:
  Padded &input(unsigned i) { return arrays[i]; }
  Padded &indices() { return arrays[count]; }
  Padded &update(unsigned i) { return arrays[count + 1 + i]; }
  /// Gives each dimension of inputs, indices and updates one size.
  void align();
  /// Windows whose sizes depend on data.
  LogicalResult maskWindows();
  void maskIndices();

  PaddedForm &f;
  PaddedTensors &t;
  ScatterOp op;
  ScatterDimensionNumbersAttr numbers;
  Arrays arrays; ///< the operands
  unsigned count;
  SmallVector<int64_t> batch, positions; ///< dimensions of indices, and the same of updates
  SmallVector<int64_t> spanned;          ///< of inputs, for each window dimension of updates
};

} // namespace

void PaddedScatter::align() {
  SmallVector<int64_t> dropped(numbers.getInsertedWindowDims());
  llvm::append_range(dropped, numbers.getInputBatchingDims());
  spanned = dimsWithout(input(0).rank(), dropped);
  batch = dimsWithout(indices().rank(), {numbers.getIndexVectorDim()});
  positions = dimsWithout(update(0).rank(), numbers.getUpdateWindowDims());
  for (int64_t dim = 0; dim < input(0).rank(); ++dim) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < count; ++i)
      places.push_back({i, dim});
    t.align(arrays, places);
  }
  for (auto [own, other] : llvm::zip_equal(batch, positions)) {
    SmallVector<Place> places = {{count, own}};
    for (unsigned i = 0; i < count; ++i)
      places.push_back({count + 1 + i, other});
    t.align(arrays, places);
  }
  for (int64_t dim : numbers.getUpdateWindowDims()) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < count; ++i)
      places.push_back({count + 1 + i, dim});
    t.align(arrays, places);
  }
}

LogicalResult PaddedScatter::maskWindows() {
  SmallVector<int64_t> partial;
  for (auto [dim, own] : llvm::zip_equal(numbers.getUpdateWindowDims(), spanned)) {
    Value size = update(0).sizes[dim];
    if (!size)
      continue;
    if (llvm::is_contained(numbers.getScatterDimsToOperandDims(), own))
      return f.refuse("windows at positions must have known sizes");
    // Padding that is written to padding.
    if (size == input(0).sizes[own])
      for (unsigned i = 0; i < count; ++i)
        update(i) = t.resized(update(i), dim, input(0).shape()[own]);
    else
      partial.push_back(dim);
    for (unsigned i = 0; i < count; ++i)
      if (update(i).shape()[dim] > input(0).shape()[own])
        update(i) = t.resized(update(i), dim, input(0).shape()[own]);
  }
  if (partial.empty())
    return success();
  SmallVector<Operation *, 2> combiners = combinersOf(op.getUpdateComputation().front());
  for (unsigned i = 0; i < count; ++i) {
    Type element = update(i).element();
    DenseElementsAttr identity = !combiners.empty() && element.isIntOrFloat()
                                     ? identityOf(combiners[i])
                                     : DenseElementsAttr();
    if (!identity || identity.getElementType() != element)
      return f.refuse("windows must have known sizes, or those of the array");
    update(i) = t.masked(update(i), t.constant(identity), partial);
  }
  return success();
}

void PaddedScatter::maskIndices() {
  ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims();
  bool isLimited = isPaddedIn(input(0), map);
  if (!isLimited && !isPaddedIn(indices(), batch))
    return;
  Padded &all = indices();
  SmallVector<int64_t> shape(all.shape()), window(input(0).rank(), 1);
  for (auto [dim, own] : llvm::zip_equal(numbers.getUpdateWindowDims(), spanned))
    window[own] = update(0).shape()[dim];
  all.value = asPositions(t, all.value);
  Value outside = t.scalar(-1);
  if (isLimited) {
    auto last = llvm::map_to_vector(
        map, [&](int64_t dim) { return lastStart(t, input(0), dim, window[dim]); });
    Value fits = t.compare(ComparisonDirection::LE, all.value,
                           spreadEntries(t, last, shape, numbers.getIndexVectorDim()));
    all.value = t.select(fits, all.value, t.fill(outside, shape));
  }
  all = t.masked(all, outside, batch);
  op.setIndicesAreSorted(false);
}

Form PaddedScatter::run() {
  int64_t vector = numbers.getIndexVectorDim();
  if (vector < indices().rank() && indices().sizes[vector])
    return f.refuse("indices must have a known number of entries");
  if (isPaddedIn(input(0), numbers.getInputBatchingDims()))
    return f.refuse("batching dimensions must have known sizes");
  align();
  if (numbers.getScatterDimsToOperandDims().empty() && isPaddedIn(indices(), batch))
    return f.refuse("without positions the number of updates must be known");
  if (failed(maskWindows()))
    return failure();
  maskIndices();
  return f.rebuild(valuesOf(arrays), input(0).sizes);
}

Form scatter(PaddedForm &f, ScatterOp op) { return PaddedScatter(f, op).run(); }

//===----------------------------------------------------------------------===//
// sort, top_k
//===----------------------------------------------------------------------===//

/// Adds to the comparator of a sort a first key, by which padding comes last.
static void compareKeys(Block &comparator, Location loc) {
  auto key = RankedTensorType::get({}, IntegerType::get(loc.getContext(), 32));
  Value left = comparator.addArgument(key, loc), right = comparator.addArgument(key, loc);
  Operation *end = comparator.getTerminator();
  expansion::Tensors t(end);
  Value isBefore = t.compare(ComparisonDirection::LT, left, right);
  Value isSame = t.compare(ComparisonDirection::EQ, left, right);
  Value isNext = t.apply<AndOp>(isSame, end->getOperand(0));
  end->setOperand(0, t.apply<OrOp>(isBefore, isNext));
}

Form sort(PaddedForm &f, SortOp op) {
  PaddedTensors &t = f.t;
  Arrays arrays = f.at(op.getInputs());
  for (int64_t dim = 0; dim < arrays.front().rank(); ++dim) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < arrays.size(); ++i)
      places.push_back({i, dim});
    t.align(arrays, places);
  }
  SmallVector<Value> operands = valuesOf(arrays);
  auto dim = static_cast<int64_t>(op.getDimension());
  dim = dim < 0 ? dim + arrays.front().rank() : dim;
  Padded first = arrays.front();
  Value size = first.sizes[dim];
  if (!size)
    return f.rebuild(operands, first.sizes);
  Value inside = t.isInside(first.shape(), dim, size);
  operands.push_back(t.convert(t.apply<NotOp>(inside), t.b.getI32Type()));
  compareKeys(op.getComparator().front(), t.loc);
  auto sorted =
      SortOp::create(t.b, t.loc, ValueRange(operands).getTypes(), operands, dim, op.getIsStable());
  sorted.getComparator().takeBody(op.getComparator());
  for (auto [array, result] : llvm::zip(arrays, sorted.getResults()))
    array.value = result;
  return arrays;
}

/// Padding is below all numbers, and the last of equal ones.
Form topK(PaddedForm &f, chlo::TopKOp op) {
  PaddedTensors &t = f.t;
  Padded array = f.at(op.getOperand());
  if (array.sizes.back()) {
    Value none = t.zero(array.element());
    Operation *largest = t.apply<MaxOp>(none, none).getDefiningOp();
    DenseElementsAttr lowest = identityOf(largest);
    largest->erase();
    array = t.masked(array, t.constant(lowest), {array.rank() - 1});
  }
  SmallVector<Value> sizes = array.sizes;
  sizes.back() = nullptr;
  return f.rebuild(array.value, sizes);
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

/// A square matrix with the rows and columns of the identity instead of padding.
static Padded extended(PaddedTensors &t, Padded matrix) {
  int64_t row = matrix.rank() - 2;
  t.align(matrix, {{0, row}, {0, row + 1}});
  if (!matrix.sizes[row])
    return matrix;
  SmallVector<int64_t> shape(matrix.shape());
  Type i32 = t.b.getI32Type();
  Value isDiagonal =
      t.compare(ComparisonDirection::EQ, t.iota(i32, shape, row), t.iota(i32, shape, row + 1));
  Value one = t.number(i32, 1, shape), zero = t.number(i32, 0, shape);
  Value identity = t.convert(t.select(isDiagonal, one, zero), matrix.element());
  return t.masked(matrix, identity, {row, row + 1});
}

Form cholesky(PaddedForm &f, CholeskyOp op) {
  Padded matrix = extended(f.t, f.at(op.getA()));
  return f.rebuild(matrix.value, matrix.sizes);
}

Form triangularSolve(PaddedForm &f, TriangularSolveOp op) {
  PaddedTensors &t = f.t;
  Arrays arrays = f.at(op->getOperands());
  int64_t last = arrays[0].rank() - 1, solved = op.getLeftSide() ? last - 1 : last;
  for (int64_t dim = 0; dim < last - 1; ++dim)
    t.align(arrays, {{0, dim}, {1, dim}});
  t.align(arrays, {{0, last - 1}, {0, last}, {1, solved}});
  arrays[0] = extended(t, arrays[0]);
  arrays[1] = t.masked(arrays[1], {solved});
  return f.rebuild(valuesOf(arrays), arrays[1].sizes);
}

} // namespace systole::refine
