// Expands reduce_window to slices of whole tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDREDUCEWINDOW
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;
using Window = ConvolutionOp::Window;

/// Larger windows are not read element by element.
constexpr int64_t kMaxTaps = 16;

/// The value of a constant scalar, which may have been broadcast to rank 0.
DenseElementsAttr constantOf(Value scalar) {
  while (auto broadcast = scalar.getDefiningOp<BroadcastInDimOp>())
    scalar = broadcast.getOperand();
  auto constant = scalar.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
}

class Expander {
public:
  explicit Expander(ReduceWindowOp op) : op(op), t(op), window(op.getWindow()) {
    if (Operation *combiner = combinerOf(op.getBody().front()))
      identity = identityOf(combiner);
    for (auto [input, init, result] :
         llvm::zip_equal(op.getInputs(), op.getInitValues(), op.getResults())) {
      values.push_back(t.convert(input, typeOf(result).getElementType()));
      inits.push_back(t.convert(init, typeOf(result).getElementType()));
    }
  }

  void run() {
    if (typeOf(op.getResult(0)).getNumElements() == 0)
      values = llvm::map_to_vector(op.getResults(), [&](Value result) {
        return t.number(typeOf(result).getElementType(), 0, shapeOf(result));
      });
    else
      combineWindows();
    op.replaceAllUsesWith(values);
    op.erase();
  }

private:
  using Values = SmallVector<Value>;

  void combineWindows();
  /// Applies base dilation and padding, with the identity.
  void pad();
  /// Combines windows along one dimension, of which there are `count`.
  Values combineAlong(int64_t dim, int64_t count);
  Values combineTaps(int64_t dim, int64_t count);
  Values combineDoubling(int64_t dim, int64_t count);
  /// Whether the windows along a dimension are all elements up to each one, or from each one on.
  enum class Scan { none, forward, backward };
  Scan scanOf(int64_t dim) const;
  /// The scan of `values` along `dim`.
  Values scanAlong(Values values, int64_t dim, bool isForward);
  /// Values of which each stands `distance` elements further along `dim`, towards the end of a
  /// scan.
  Values shifted(ValueRange values, int64_t dim, int64_t distance, bool isForward);
  /// Reduces all elements along `dims`, with the initial value.
  void reduceWhole(ArrayRef<int64_t> dims);

  Values slice(ValueRange from, int64_t dim, int64_t start, int64_t count, int64_t stride) {
    return llvm::map_to_vector(
        from, [&](Value value) { return t.slice(value, dim, start, count, stride); });
  }
  Values combine(ValueRange first, ValueRange second) {
    Values args(first);
    llvm::append_range(args, second);
    return applyBody(t, op.getBody(), args);
  }

  ReduceWindowOp op;
  Tensors t;
  SmallVector<Window> window;
  DenseElementsAttr identity; // null if unknown
  Values values, inits;
};

void Expander::pad() {
  SmallVector<int64_t> low, high, interior;
  for (auto [number, dim] : llvm::enumerate(window)) {
    bool isScan = scanOf(number) != Scan::none;
    low.push_back(isScan ? 0 : dim.low);
    high.push_back(isScan ? 0 : dim.high);
    interior.push_back(dim.lhsDilation - 1);
  }
  for (auto [value, init] : llvm::zip_equal(values, inits))
    value = t.pad(value, identity ? t.constant(identity) : init, low, high, interior);
}

Expander::Values Expander::combineTaps(int64_t dim, int64_t count) {
  const Window &w = window[dim];
  Values result = slice(values, dim, 0, count, w.stride);
  for (int64_t tap = 1; tap < w.size; ++tap)
    result = combine(result, slice(values, dim, tap * w.rhsDilation, count, w.stride));
  return result;
}

// Computes windows of 1, 2, 4, ... elements, each from two of the previous size, and combines those
// of the powers of two in the window size, one behind the other.
Expander::Values Expander::combineDoubling(int64_t dim, int64_t count) {
  const Window &w = window[dim];
  int64_t length = (count - 1) * w.stride + w.extent();
  Values power = slice(values, dim, 0, length, 1), result;
  int64_t covered = 0;
  for (int64_t size = 1;; size *= 2) {
    if (w.size & size) {
      Values piece = slice(power, dim, covered * w.rhsDilation, count, w.stride);
      result = result.empty() ? piece : combine(result, piece);
      covered += size;
    }
    if (covered == w.size)
      return result;
    length -= size * w.rhsDilation;
    power = combine(slice(power, dim, 0, length, 1),
                    slice(power, dim, size * w.rhsDilation, length, 1));
  }
}

Expander::Values Expander::combineAlong(int64_t dim, int64_t count) {
  const Window &w = window[dim];
  // The number of elements read along the dimension.
  int64_t length = (count - 1) * w.stride + w.extent();
  int64_t doubling = 2 * llvm::Log2_64(w.size) * length + llvm::popcount(uint64_t(w.size)) * count;
  return w.size <= kMaxTaps && w.size * count <= doubling ? combineTaps(dim, count)
                                                          : combineDoubling(dim, count);
}

Expander::Scan Expander::scanOf(int64_t dim) const {
  const Window &w = window[dim];
  int64_t count = shapeOf(ReduceWindowOp(op).getInputs().front())[dim];
  if (!identity || w.size != count || count <= kMaxTaps || w.stride != 1 || w.lhsDilation != 1 ||
      w.rhsDilation != 1)
    return Scan::none;
  return w.low == count - 1 && w.high == 0   ? Scan::forward
         : w.low == 0 && w.high == count - 1 ? Scan::backward
                                             : Scan::none;
}

Expander::Values Expander::shifted(ValueRange values, int64_t dim, int64_t distance,
                                   bool isForward) {
  return llvm::map_to_vector(values, [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    SmallVector<int64_t> none(shape.size()), by = none;
    by[dim] = distance;
    value = t.slice(value, dim, isForward ? 0 : distance, shape[dim] - distance);
    return t.pad(value, t.constant(identity), isForward ? by : none, isForward ? none : by, none);
  });
}

// Blocks by themselves, each element with the one 1, 2, 4, ... before it; then with what the blocks
// before have left.
Expander::Values Expander::scanAlong(Values values, int64_t dim, bool isForward) {
  SmallVector<int64_t> shape(shapeOf(values.front()));
  const int64_t last = shape.size() - 1, length = shape[dim];
  const int64_t block = dim == last ? kLanes : kSublanes;
  auto combined = [&](ValueRange before, ValueRange now) {
    return isForward ? combine(before, now) : combine(now, before);
  };
  if (length <= block) {
    for (int64_t distance = 1; distance < length; distance *= 2)
      values = combined(shifted(values, dim, distance, isForward), values);
    return values;
  }
  const int64_t blocks = llvm::divideCeil(length, block);
  SmallVector<int64_t> none(shape.size()), missing = none, divided(shape), totals, dims;
  missing[dim] = blocks * block - length;
  divided[dim] = blocks;
  divided.insert(divided.begin() + dim + 1, block);
  totals = divided;
  totals.erase(totals.begin() + dim + 1);
  for (int64_t d = 0; d <= last + 1; ++d)
    if (d != dim + 1)
      dims.push_back(d);
  for (Value &value : values)
    value = t.reshape(t.pad(value, t.constant(identity), isForward ? none : missing,
                            isForward ? missing : none, none),
                      divided);
  values = scanAlong(values, dim + 1, isForward);
  Values sums = slice(values, dim + 1, isForward ? block - 1 : 0, 1, 1);
  for (Value &sum : sums)
    sum = t.reshape(sum, totals);
  sums = shifted(scanAlong(sums, dim, isForward), dim, 1, isForward);
  for (Value &sum : sums)
    sum = t.spread(sum, divided, dims);
  values = combined(sums, values);
  SmallVector<int64_t> whole(shape);
  whole[dim] = blocks * block;
  for (Value &value : values)
    value = t.slice(t.reshape(value, whole), dim, isForward ? 0 : missing[dim], length);
  return values;
}

void Expander::reduceWhole(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < static_cast<int64_t>(window.size()); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(shapeOf(values.front())[dim]);
    else
      values = slice(values, dim, 0, window[dim].size, window[dim].rhsDilation);
  SmallVector<Type> types =
      llvm::map_to_vector(values, [&](Value value) -> Type { return typeOf(value).clone(kept); });
  auto reduce = ReduceOp::create(t.b, t.loc, types, values, inits, dims);
  IRMapping mapping;
  op.getBody().cloneInto(&reduce.getBody(), mapping);
  for (auto [value, reduced, result] :
       llvm::zip_equal(values, reduce.getResults(), op.getResults()))
    value = t.reshape(reduced, shapeOf(result));
}

void Expander::combineWindows() {
  ArrayRef<int64_t> counts = shapeOf(op.getResult(0));
  pad();
  SmallVector<int64_t> whole;
  // The last dimension first, so that elements are combined in order.
  for (int64_t dim = window.size() - 1; dim >= 0; --dim) {
    if (counts[dim] == 1 && window[dim].size > kMaxTaps)
      whole.push_back(dim);
    else if (Scan scan = scanOf(dim); scan != Scan::none)
      values = scanAlong(values, dim, scan == Scan::forward);
    else
      values = combineAlong(dim, counts[dim]);
  }
  if (!whole.empty()) {
    llvm::sort(whole);
    return reduceWhole(whole);
  }
  if (inits.size() == 1 && identity && constantOf(op.getInitValues()[0]) == identity)
    return;
  Values first = llvm::map_to_vector(inits, [&](Value init) { return t.fill(init, counts); });
  values = combine(first, values);
}

struct ExpandReduceWindow : impl::ExpandReduceWindowBase<ExpandReduceWindow> {
  void rewrite() override {
    if (failed(expandEach<ReduceWindowOp>(getOperation(),
                                          [](ReduceWindowOp op) { Expander(op).run(); })))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
