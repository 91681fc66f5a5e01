// Expands select_and_scatter to operations on whole
// tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDSELECTANDSCATTER
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

class Expander {
public:
  explicit Expander(SelectAndScatterOp op)
      : op(op), t(op), window(op.getWindow()), sizes(shapeOf(op.getOperand())),
        counts(shapeOf(op.getSource())) {}

  void run() {
    Type element = op.getType().getElementType();
    Value initial = t.convert(op.getInitValue(), element), result;
    if (typeOf(op.getSource()).getNumElements() == 0) {
      result = t.fill(initial, sizes);
    } else {
      listTaps();
      choosePhases();
      select();
      result = scatter(t.convert(op.getSource(), element), initial);
    }
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  using Offsets = SmallVector<int64_t>;

  void listTaps();
  /// Elements of the operand at a distance of `step`, the window stride, form a phase, a tensor of
  /// its own: adjacent windows see adjacent elements of a phase, and scattered values are adjacent,
  /// too. If that would split rows along the lanes, everything is one phase.
  void choosePhases();
  /// A mask of the windows for which a tap is inside of the operand; null for all of them.
  Value insideMask(const Offsets &tap);
  /// The element that each window sees at a tap, undefined outside of the operand.
  Value shown(const Offsets &tap);
  /// The type of tap numbers: that of the elements if these are 16-bit floats that have as many
  /// exact integers, so that an array of numbers takes no more memory than one of elements.
  Type numberType();
  /// Computes the tap number that each window selects, -1 for none.
  void select();
  /// Moves `value`, of one element per window, to the positions of a tap within its phase.
  Value moveToTap(Value value, Value padding, const Offsets &tap);
  /// Combines the values scattered to a phase's elements, tap by tap.
  Value scatterTo(const Offsets &phase, Value source, Value initial);
  Value scatter(Value source, Value initial);

  SelectAndScatterOp op;
  Tensors t;
  SmallVector<ConvolutionOp::Window> window;
  SmallVector<int64_t> sizes, counts;
  SmallVector<Offsets> taps;   // row-major; those inside of the operand for any window
  Offsets steps;               // distances between the elements of a phase
  SmallVector<Offsets> phases; // row-major
  Offsets phaseSizes;          // of each phase, padding included
  Value padded;
  llvm::MapVector<int64_t, Value> shownPhases; // slices of the padded operand, by phase number
  Value chosen;
};

void Expander::choosePhases() {
  bool splitsRows = window.back().stride != 1;
  int64_t row = static_cast<int64_t>(window.size()) - 2;
  int64_t packing = kernel::LayoutAttr::packingOf(op.getType().getElementType());
  phases.push_back({});
  for (auto [dim, w] : llvm::enumerate(window)) {
    steps.push_back(splitsRows ? 1 : w.stride);
    // Rows of narrow phases begin at whole cells with each index of the dimensions around them, so
    // that kernels can divide these.
    bool isPacked = static_cast<int64_t>(dim) == row && row > 0 && steps.back() > 1;
    phaseSizes.push_back(
        llvm::alignTo(llvm::divideCeil(sizes[dim], steps.back()), isPacked ? packing : 1));
    SmallVector<Offsets> longer;
    for (const Offsets &prefix : phases)
      for (int64_t phase = 0; phase < steps.back(); ++phase) {
        longer.push_back(prefix);
        longer.back().push_back(phase);
      }
    phases = std::move(longer);
  }
}

void Expander::listTaps() {
  // Per dimension, the taps that are inside of the operand for at least one window.
  taps.push_back({});
  for (auto [dim, w] : llvm::enumerate(window)) {
    SmallVector<Offsets> longer;
    for (const Offsets &prefix : taps)
      for (int64_t tap = 0; tap < w.size; ++tap) {
        int64_t first = tap - w.low, last = first + (counts[dim] - 1) * w.stride;
        // The first window that does not start before the operand.
        int64_t inside =
            first >= 0 ? first : first + llvm::divideCeil(uint64_t(-first), w.stride) * w.stride;
        if (inside > last || inside >= sizes[dim])
          continue;
        longer.push_back(prefix);
        longer.back().push_back(tap);
      }
    taps = std::move(longer);
  }
}

Value Expander::insideMask(const Offsets &tap) {
  Value mask;
  Type i32 = t.b.getI32Type();
  auto restrict = [&](Tensors::Direction direction, int64_t dim, int64_t limit) {
    Value holds = t.compare(direction, t.iota(i32, counts, dim), t.number(i32, limit, counts));
    mask = mask ? t.apply<AndOp>(mask, holds) : holds;
  };
  for (auto [dim, w] : llvm::enumerate(window)) {
    int64_t first = tap[dim] - w.low, last = first + (counts[dim] - 1) * w.stride;
    if (first < 0)
      restrict(ComparisonDirection::GE, dim, llvm::divideCeil(uint64_t(-first), w.stride));
    if (last >= sizes[dim])
      restrict(ComparisonDirection::LT, dim,
               llvm::divideCeil(uint64_t(sizes[dim] - first), w.stride));
  }
  return mask;
}

Value Expander::shown(const Offsets &tap) {
  int64_t number = 0;
  Offsets phase, starts, limits, strides, ends(shapeOf(padded));
  for (auto [dim, w] : llvm::enumerate(window)) {
    phase.push_back(tap[dim] % steps[dim]);
    number = number * steps[dim] + phase.back();
    starts.push_back(tap[dim] / steps[dim]);
    strides.push_back(w.stride / steps[dim]);
    limits.push_back(starts.back() + (counts[dim] - 1) * strides.back() + 1);
  }
  Value &elements = shownPhases[number];
  if (!elements)
    elements = t.slice(padded, phase, ends, steps);
  return t.slice(elements, starts, limits, strides);
}

Type Expander::numberType() {
  auto element = dyn_cast<FloatType>(op.getOperand().getType().getElementType());
  bool fits = element && element.getWidth() == 16 &&
              taps.size() <= size_t(1) << element.getFPMantissaWidth();
  return fits ? Type(element) : IntegerType::get(op.getContext(), 32);
}

void Expander::select() {
  SmallVector<int64_t> low, high, none(window.size(), 0);
  for (const auto &w : window) {
    low.push_back(w.low);
    high.push_back(w.high);
  }
  Type element = op.getOperand().getType().getElementType(), count = numberType();
  // Phases of the operand have whole cells, too.
  int64_t row = static_cast<int64_t>(window.size()) - 2;
  int64_t packing = kernel::LayoutAttr::packingOf(element);
  if (row > 0 && steps[row] > 1 && packing > 1) {
    int64_t extent = sizes[row] + low[row] + high[row];
    high[row] += llvm::alignTo(extent, steps[row] * packing) - extent;
  }
  padded = t.pad(op.getOperand(), t.number(element, 0), low, high, none);
  chosen = t.number(count, -1, counts);
  Value best;
  bool allFound = false; // by every window, once a tap is inside for all of them
  for (auto [number, tap] : llvm::enumerate(taps)) {
    Value candidate = shown(tap), inside = insideMask(tap);
    Value index = t.number(count, number, counts);
    if (!best) {
      best = candidate;
      chosen = inside ? t.select(inside, index, chosen) : index;
      allFound = !inside;
      continue;
    }
    Value keep = applyBody(t, op.getSelect(), {best, candidate}).front();
    if (!allFound) {
      Value found = t.compare(ComparisonDirection::GE, chosen, t.number(count, 0, counts));
      keep = t.apply<AndOp>(found, keep);
    }
    Value replace = t.apply<NotOp>(keep);
    allFound |= !inside;
    if (inside)
      replace = t.apply<AndOp>(replace, inside);
    best = t.select(replace, candidate, best);
    chosen = t.select(replace, index, chosen);
  }
}

Value Expander::moveToTap(Value value, Value padding, const Offsets &tap) {
  SmallVector<int64_t> low, high, interior;
  for (auto [dim, w] : llvm::enumerate(window)) {
    // The offset from the start of the phase.
    int64_t first = tap[dim] - w.low, phase = llvm::mod(first, steps[dim]);
    int64_t distance = w.stride / steps[dim];
    low.push_back((first - phase) / steps[dim]);
    interior.push_back(distance - 1);
    high.push_back(phaseSizes[dim] - low.back() - ((counts[dim] - 1) * distance + 1));
  }
  return t.pad(value, padding, low, high, interior);
}

Value Expander::scatterTo(const Offsets &phase, Value source, Value initial) {
  Type element = op.getType().getElementType(), count = numberType();
  Operation *combiner = combinerOf(op.getScatter().front());
  DenseElementsAttr identity = combiner ? identityOf(combiner) : nullptr;
  Value result = t.fill(initial, phaseSizes);
  for (auto [number, tap] : llvm::enumerate(taps)) {
    bool arrivesHere = true;
    for (auto [dim, w] : llvm::enumerate(window))
      arrivesHere &= llvm::mod(tap[dim] - w.low, steps[dim]) == phase[dim];
    if (!arrivesHere)
      continue;
    Value sent = t.compare(ComparisonDirection::EQ, chosen, t.number(count, number, counts));
    auto combine = [&](Value value) {
      return applyBody(t, op.getScatter(), {result, value}).front();
    };
    if (identity) {
      Value nothing = t.constant(identity);
      Value value = t.select(sent, source, t.constant(identity, counts));
      result = combine(moveToTap(value, nothing, tap));
    } else {
      // Only windows that selected this tap contribute.
      Value arrives = moveToTap(sent, t.number(t.b.getI1Type(), 0), tap);
      Value value = moveToTap(source, t.number(element, 0), tap);
      result = t.select(arrives, combine(value), result);
    }
  }
  return result;
}

Value Expander::scatter(Value source, Value initial) {
  SmallVector<Value> parts;
  for (const Offsets &phase : phases)
    parts.push_back(scatterTo(phase, source, initial));
  // Interleaves phases, along the innermost dimension first.
  for (int64_t dim = window.size() - 1; dim >= 0; --dim) {
    if (steps[dim] == 1)
      continue;
    SmallVector<Value> longer;
    for (size_t first = 0; first < parts.size(); first += steps[dim]) {
      Value rows = t.stack(ArrayRef(parts).slice(first, steps[dim]), dim + 1);
      SmallVector<int64_t> shape(shapeOf(parts[first]));
      shape[dim] *= steps[dim];
      longer.push_back(t.slice(t.reshape(rows, shape), dim, 0, sizes[dim]));
    }
    parts = std::move(longer);
  }
  return parts.front();
}

struct ExpandSelectAndScatter : impl::ExpandSelectAndScatterBase<ExpandSelectAndScatter> {
  void rewrite() override {
    if (failed(expandEach<SelectAndScatterOp>(getOperation(),
                                              [](SelectAndScatterOp op) { Expander(op).run(); })))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
