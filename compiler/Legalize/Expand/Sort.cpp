// Lays sorts out as columns that kernels sort in VMEM, and merges columns that are longer.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/SortOrder.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/ClosedBodies.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDSORT
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// From this number of independent rows on, they are placed along the lanes.
constexpr int64_t kLaneRows = 32;

using Values = SmallVector<Value>;

/// Where the elements of a sort lie: `outer` sequences of `padded` elements for each of `inner`
/// indices beside each other, in columns of `rows()` rows and `chunks` chunks.
struct Columns {
  int64_t size, padded, outer = 1, inner = 1;
  bool isTransposed = false;
  int64_t chunks = 1;
  /// Columns that VMEM does not hold are divided into so many, which are merged.
  int64_t parts = 1;

  Columns(SortOp op) {
    ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
    int64_t dim = op.getSortedDimension();
    size = shape[dim];
    for (int64_t before : shape.take_front(dim))
      outer *= before;
    for (int64_t after : shape.drop_front(dim + 1))
      inner *= after;
    padded = std::max<int64_t>(llvm::PowerOf2Ceil(size), kernel::kLeastSortedRows);
  }

  /// The extent of the innermost dimension, a power of two where it has several chunks.
  int64_t paddedInner() const { return chunks == 1 ? inner : llvm::PowerOf2Ceil(inner); }
  int64_t rows() const { return padded / chunks / parts; }
  int64_t lanes() const { return chunks * paddedInner(); }
  SmallVector<int64_t> shape() const { return {outer * parts, rows(), lanes()}; }

  /// Places and divides columns so that some arrays of the rows of one, and their sorted copies,
  /// fit.
  void arrange(int64_t arrays, int64_t bytes) {
    // Of several blocks the next one comes, and the last one goes, while one is sorted.
    auto fits = [&] {
      int64_t copies = outer * parts * llvm::divideCeil(lanes(), kLanes) == 1 ? 2 : 4;
      return copies * arrays * rows() * kRowBytes <= bytes;
    };
    auto fillLanes = [&] {
      chunks = std::clamp<int64_t>(kLanes / int64_t(llvm::PowerOf2Ceil(inner)), 1,
                                   std::max<int64_t>(1, padded / kernel::kLeastChunkRows));
    };
    if (inner == 1 && outer >= kLaneRows) {
      isTransposed = true;
      std::swap(outer, inner);
      fillLanes();
      if (fits())
        return;
      isTransposed = false;
      std::swap(outer, inner);
    }
    fillLanes();
    while (!fits() && rows() > kernel::kLeastChunkRows)
      parts *= 2;
  }
};

class Expander {
public:
  Expander(SortOp op, int64_t vmemBytes)
      : op(op), t(op), columns(op), order(op, columns.size, columns.padded) {
    columns.arrange(order.count(), vmemBytes);
  }

  LogicalResult run() {
    Values results(op.getInputs());
    if (columns.size > 1 && columns.outer * columns.inner > 0) {
      results = order.results(t, gather(sort(spread())));
      if (hasFailed)
        return failure();
    }
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      if (value)
        result.replaceAllUsesWith(value);
    op.erase();
    return success();
  }

private:
  /// The arrays as columns, and back.
  Values spread();
  Values gather(ValueRange sorted);

  Values sort(Values columns);
  Values sortColumns(ValueRange values, bool merge);
  /// Moves the elements that come first of pairs `distance` parts apart to the first of both. With
  /// `mirrored` the second one is read from its end.
  Values exchange(ValueRange values, int64_t distance, bool mirrored);
  Value mirror(Value parts);

  SortOp op;
  Tensors t;
  Columns columns;
  SortOrder order;
  bool hasFailed = false;
};

Values Expander::spread() {
  const Columns &c = columns;
  const int64_t whole[] = {c.outer, c.size, c.inner},
                padded[] = {c.outer, c.padded, c.paddedInner()};
  const int64_t none[] = {0, 0, 0}, high[] = {0, c.padded - c.size, c.paddedInner() - c.inner};
  Values arrays = order.arrays(t);
  for (auto [number, value] : llvm::enumerate(arrays)) {
    if (c.isTransposed)
      value = t.transpose(t.reshape(value, {c.inner, c.size}), {1, 0});
    Value padding = t.number(typeOf(value).getElementType(), order.paddingOf(number));
    value = t.pad(t.reshape(value, whole), padding, none, high, none);
  }
  // The sorted dimension, row by row of chunks; any order would do but for the numbers.
  arrays = order.numbered(t, arrays, t.iota(t.b.getI32Type(), padded, 1));
  for (Value &value : arrays)
    value = t.reshape(value, c.shape());
  return arrays;
}

Values Expander::gather(ValueRange sorted) {
  const Columns &c = columns;
  Values arrays;
  for (Value value : sorted) {
    if (c.chunks > 1) {
      value = t.reshape(value, {c.outer * c.parts, c.rows(), c.chunks, c.paddedInner()});
      value = t.transpose(value, {0, 2, 1, 3});
    }
    value = t.reshape(value, {c.outer, c.padded, c.paddedInner()});
    value = t.slice(value, {0, 0, 0}, {c.outer, c.size, c.inner}, {1, 1, 1});
    if (c.isTransposed)
      value = t.transpose(t.reshape(value, {c.size, c.inner}), {1, 0});
    arrays.push_back(t.reshape(value, shapeOf(op.getInputs().front())));
  }
  return arrays;
}

Values Expander::sortColumns(ValueRange values, bool merge) {
  auto sort =
      kernel::ColumnSortOp::create(t.b, t.loc, values.getTypes(), values, columns.chunks, merge);
  SmallVector<Type> pairs;
  for (Value value : values)
    pairs.append(2, RankedTensorType::get({}, typeOf(value).getElementType()));
  OpBuilder::InsertionGuard guard(t.b);
  Block *body =
      t.b.createBlock(&sort.getBody(), {}, pairs, SmallVector<Location>(pairs.size(), t.loc));
  Values first, second;
  for (size_t number = 0; number < values.size(); ++number) {
    first.push_back(body->getArgument(2 * number));
    second.push_back(body->getArgument(2 * number + 1));
  }
  kernel::YieldOp::create(t.b, t.loc, order.isBefore(t, first, second));
  hasFailed |= failed(closeBody(sort.getBody()));
  return Values(sort.getResults());
}

Value Expander::mirror(Value parts) {
  const Columns &c = columns;
  ArrayRef<int64_t> shape = shapeOf(parts);
  SmallVector<int64_t> apart = {shape[0], shape[1], shape[2], c.chunks, c.paddedInner()};
  Value reversed = t.reshape(parts, apart);
  const int64_t dims[] = {1, 2, 3};
  return t.reshape(ReverseOp::create(t.b, t.loc, reversed, dims), shape);
}

Values Expander::exchange(ValueRange values, int64_t distance, bool mirrored) {
  const Columns &c = columns;
  const int64_t pairs[] = {c.outer * c.parts / (2 * distance), 2 * distance, c.rows(), c.lanes()};
  Values low, high, results;
  for (Value value : values) {
    value = t.reshape(value, pairs);
    low.push_back(t.slice(value, 1, 0, distance));
    Value upper = t.slice(value, 1, distance, distance);
    high.push_back(mirrored ? mirror(upper) : upper);
  }
  Value swap = order.isBefore(t, high, low);
  for (auto [a, b] : llvm::zip_equal(low, high))
    results.push_back(
        t.reshape(t.concatenate({t.select(swap, b, a), t.select(swap, a, b)}, 1), columns.shape()));
  return results;
}

// As within a kernel: mirror images, then distances, in parts, and the rest within each part. What
// has been mirrored may stay so, since what is bitonic is so from its end, too.
Values Expander::sort(Values values) {
  values = sortColumns(values, /*merge=*/false);
  for (int64_t merged = 1; merged < columns.parts; merged *= 2) {
    values = exchange(values, merged, /*mirrored=*/true);
    for (int64_t distance = merged / 2; distance > 0; distance /= 2)
      values = exchange(values, distance, /*mirrored=*/false);
    values = sortColumns(values, /*merge=*/true);
  }
  return values;
}

/// Gives a sort whose comparator uses values from outside, which are scalars, arrays of these.
SortOp closeComparator(SortOp op) {
  llvm::SetVector<Value> captured;
  Region &comparator = op.getComparator();
  comparator.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!comparator.isAncestor(operand.getParentRegion()) && !operand.getDefiningOp<ConstantOp>())
        captured.insert(operand);
  });
  if (captured.empty())
    return op;
  Tensors t(op);
  Values inputs(op.getInputs());
  Block &body = comparator.front();
  for (Value value : captured) {
    inputs.push_back(t.fill(value, shapeOf(op.getInputs().front())));
    Value element = body.addArgument(value.getType(), t.loc);
    body.addArgument(value.getType(), t.loc);
    value.replaceUsesWithIf(element, [&](OpOperand &use) {
      return comparator.isAncestor(use.getOwner()->getParentRegion());
    });
  }
  auto closed = SortOp::create(t.b, t.loc, ValueRange(inputs).getTypes(), inputs,
                               op.getSortedDimension(), op.getIsStable());
  closed.getComparator().takeBody(comparator);
  op.replaceAllUsesWith(closed.getResults().take_front(op.getNumResults()));
  op.erase();
  return closed;
}

struct ExpandSort : impl::ExpandSortBase<ExpandSort> {
  using impl::ExpandSortBase<ExpandSort>::ExpandSortBase;

  void rewrite() override {
    bool isExpanded = true;
    LogicalResult elementwise = expandEach<SortOp>(getOperation(), [&](SortOp op) {
      isExpanded &= succeeded(Expander(closeComparator(op), vmemBytes).run());
    });
    if (failed(elementwise) || !isExpanded)
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
