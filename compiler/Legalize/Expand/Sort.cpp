// Lays sorts out as columns that kernels sort in VMEM, and merges columns that are longer.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/SortColumns.h"
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

using Values = SmallVector<Value>;

/// How many elements along the sorted dimension are read, from the first one on.
int64_t readElements(SortOp op) {
  int64_t dim = op.getSortedDimension(), all = shapeOf(op.getInputs().front())[dim], most = 0;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || slice.getStartIndices()[dim] != 0)
      return all;
    most = std::max(most, slice.getLimitIndices()[dim]);
  }
  return most;
}

class Expander {
public:
  Expander(SortOp op, int64_t vmemBytes)
      : op(op), t(op), columns(op), order(op, columns.size, columns.padded),
        count(readElements(op)) {
    if (count < columns.size)
      columns.arrangeRuns(count);
    if (!columns.runLength) {
      count = columns.size;
      columns.arrange(order.count(), vmemBytes);
    }
  }

  LogicalResult run() {
    Values results(op.getInputs());
    if (columns.size > 1 && columns.outer * columns.inner > 0) {
      Values arrays = spread();
      arrays = columns.runLength ? first(arrays) : sort(arrays);
      results = order.results(t, gather(arrays));
      if (hasFailed)
        return failure();
    }
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      // Slices of a result read its first elements alone.
      if (value)
        for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
          use.set(value);
    op.erase();
    return success();
  }

private:
  /// The arrays as columns, and back.
  Values spread();
  Values gather(ValueRange sorted);

  Values sort(Values columns);
  /// The first elements of columns, with more rows behind them.
  Values first(Values columns);
  Values sortColumns(ValueRange values, int64_t chunks, bool merge);
  /// Moves the elements that come first of pairs `distance` parts apart to the first of both. With
  /// `mirrored` the second one is read from its end.
  Values exchange(ValueRange values, int64_t distance, bool mirrored);
  Value mirror(Value parts);

  SortOp op;
  Tensors t;
  SortColumns columns;
  SortOrder order;
  int64_t count; ///< elements of a sequence that are wanted
  bool hasFailed = false;
};

Values Expander::spread() {
  const SortColumns &c = columns;
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
  const SortColumns &c = columns;
  SmallVector<int64_t> shape(shapeOf(op.getInputs().front()));
  shape[op.getSortedDimension()] = count;
  Values arrays;
  for (Value value : sorted) {
    // The first elements are the rows of the first chunk.
    if (!c.runLength) {
      if (c.chunks > 1) {
        value = t.reshape(value, {c.outer * c.parts, c.rows(), c.chunks, c.paddedInner()});
        value = t.transpose(value, {0, 2, 1, 3});
      }
      value = t.reshape(value, {c.outer, c.padded, c.paddedInner()});
    }
    value = t.slice(value, {0, 0, 0}, {c.outer, count, c.inner}, {1, 1, 1});
    if (c.isTransposed)
      value = t.transpose(t.reshape(value, {count, c.inner}), {1, 0});
    arrays.push_back(t.reshape(value, shape));
  }
  return arrays;
}

Values Expander::sortColumns(ValueRange values, int64_t chunks, bool merge) {
  auto sort = kernel::ColumnSortOp::create(t.b, t.loc, values.getTypes(), values, chunks, merge);
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
  const SortColumns &c = columns;
  ArrayRef<int64_t> shape = shapeOf(parts);
  SmallVector<int64_t> apart = {shape[0], shape[1], shape[2], c.chunks, c.paddedInner()};
  Value reversed = t.reshape(parts, apart);
  const int64_t dims[] = {1, 2, 3};
  return t.reshape(ReverseOp::create(t.b, t.loc, reversed, dims), shape);
}

Values Expander::exchange(ValueRange values, int64_t distance, bool mirrored) {
  const SortColumns &c = columns;
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
  values = sortColumns(values, columns.chunks, /*merge=*/false);
  for (int64_t merged = 1; merged < columns.parts; merged *= 2) {
    values = exchange(values, merged, /*mirrored=*/true);
    for (int64_t distance = merged / 2; distance > 0; distance /= 2)
      values = exchange(values, distance, /*mirrored=*/false);
    values = sortColumns(values, columns.chunks, /*merge=*/true);
  }
  return values;
}

// Of two sorted runs the first elements are, in some order, those that come first of each pair of
// an element of one and its mirror image in the other; they are bitonic.
Values Expander::first(Values values) {
  const SortColumns &c = columns;
  const int64_t length = c.runLength;
  int64_t runs = c.rows() / length;
  auto asRuns = [&](Value value) { return t.reshape(value, {c.outer * runs, length, c.lanes()}); };
  values = sortColumns(llvm::map_to_vector(values, asRuns), /*chunks=*/1, /*merge=*/false);
  for (; runs > 1; runs /= 2) {
    Values low, high;
    for (Value value : values) {
      value = t.reshape(value, {c.outer, runs, length, c.lanes()});
      low.push_back(t.slice(value, 1, 0, runs / 2));
      Value upper = t.slice(value, 1, runs / 2, runs / 2);
      const int64_t rows[] = {2};
      high.push_back(ReverseOp::create(t.b, t.loc, upper, rows));
    }
    Value swap = order.isBefore(t, high, low);
    for (auto [value, a, b] : llvm::zip_equal(values, low, high))
      value = t.reshape(t.select(swap, b, a), {c.outer * (runs / 2), length, c.lanes()});
    values = sortColumns(values, /*chunks=*/1, /*merge=*/true);
  }
  return c.chunks == 1 ? values : sortColumns(values, c.chunks, /*merge=*/false);
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
