// Chooses how positions become depth, by cycles of the matrix unit.
// See docs/decisions/convolution-cuts-and-weight-gradients.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/FilterParts.h"

#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Tensor/Convolutions.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace systole {

using Window = stablehlo::ConvolutionOp::Window;

int64_t FilterPart::boxes() const {
  int64_t count = 1;
  for (const Dim &dim : dims)
    count *= dim.blocks;
  return count;
}

int64_t FilterPart::runs() const {
  int64_t count = 1;
  for (int64_t dim : ArrayRef<int64_t>(order).drop_back())
    count *= dims[dim].run;
  return count;
}

//===----------------------------------------------------------------------===//
// Shared weights
//===----------------------------------------------------------------------===//

SmallVector<SharedTaps> sharedTaps(const Window &window, int64_t taps, int64_t boxes) {
  int64_t common = std::gcd(window.stride, window.rhsDilation);
  int64_t step = window.rhsDilation / common, apart = window.stride / common;
  SmallVector<SharedTaps> all;
  // Taps that are `step` apart meet the same elements, of every boxes' that are `apart` apart.
  for (int64_t phase = 0; phase < std::min(step, taps); ++phase) {
    int64_t count = llvm::divideCeil(taps - phase, step);
    SmallVector<SharedTaps> sets;
    std::optional<size_t> whole;
    for (int64_t element = 0; element < boxes + (count - 1) * apart; ++element) {
      int64_t first = std::max<int64_t>(0, llvm::divideCeilSigned(element - boxes + 1, apart));
      int64_t number = std::min(count, element / apart + 1) - first;
      if (number <= 0)
        continue;
      int64_t tap = phase + first * step;
      if (!sets.empty() && sets.back().tap == tap && sets.back().taps == number) {
        ++sets.back().count;
        continue;
      }
      if (number == count)
        whole = sets.size();
      sets.push_back({phase * window.stride + element * window.rhsDilation, 1,
                      element - first * apart, apart, tap, step, number, number == count});
    }
    if (!whole)
      return {};
    std::rotate(sets.begin(), sets.begin() + *whole, sets.begin() + *whole + 1);
    llvm::append_range(all, sets);
  }
  return all;
}

SmallVector<SharedTaps> sharedTaps(stablehlo::ConvolutionOp op, const FilterPart &part) {
  if (!part.shared)
    return {SharedTaps{}};
  return sharedTaps(op.getWindow()[*part.shared], op.getType().getDimSize(*part.shared),
                    part.dims[*part.shared + 1].blocks);
}

//===----------------------------------------------------------------------===//
// Boxes of positions
//===----------------------------------------------------------------------===//

namespace {

class PartChooser {
public:
  PartChooser(stablehlo::ConvolutionOp op, ArrayRef<int64_t> shape);
  void run();
  /// The parts with the fewest cycles so far.
  SmallVector<FilterPart, 2> best;
  double fewest = 0;

private:
  /// Cycles of one array for a box of each index along the other dimensions.
  struct ProductCycles {
    double each = 0, once = 0;
  };
  ProductCycles productsOf(int64_t weights, ArrayRef<SharedTaps> sets) const;
  double cyclesOf(const FilterPart &part) const;
  FilterPart partOf(int64_t inner, FilterPart::Dim dim, std::optional<int64_t> shared) const;
  void consider(int64_t inner, std::optional<int64_t> shared);

  ArrayRef<int64_t> shape;
  int64_t rows;      ///< of the gradient that stream past weights of the image
  double transposed; ///< cycles for a box of the gradient
  ProductCycles plain;
  /// For each spatial dimension and number of boxes along it, where its taps share weights.
  SmallVector<llvm::SmallDenseMap<int64_t, ProductCycles, 8>, 3> withShared;
};

/// Products take the longer one of a latch and their rows, and a loop of them as many more cycles
/// as it takes to fill and drain.
constexpr int64_t kLoopCycles = 400;
/// Arrays that share the products, while one unit transposes.
constexpr double kArrays = 2;

} // namespace

PartChooser::PartChooser(stablehlo::ConvolutionOp op, ArrayRef<int64_t> shape) : shape(shape) {
  auto blocksOf = [](int64_t lanes) { return llvm::divideCeil(lanes, kLanes); };
  int64_t groups = op.getFeatureGroupCount(), outputs = op.getRhs().getType().getShape().back();
  int64_t features = op.getType().getShape().back(), spatial = op.getWindow().size();
  rows = llvm::alignTo(outputs / groups, kSublanes);
  int64_t width = op.getRhs().getType().getElementTypeBitWidth();
  transposed = double(blocksOf(outputs) * kLanes * width) / (8 * kCellBytes);
  LaneFold fold = laneFoldOf(op);
  // Folded elements of the window are one block of weights.
  int64_t all = groups * (fold.isNeeded() ? 1 : blocksOf(features));
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t taps = op.getType().getDimSize(d);
    all *= !fold.isFolded(d)          ? taps
           : d == int64_t(fold.outer) ? fold.blocks() + (fold.rest() > 0)
                                      : 1;
  }
  plain = productsOf(all, SharedTaps());
  withShared.resize(spatial);
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t taps = op.getType().getDimSize(d), size = shape[d + 1];
    if (taps == 1 || fold.isFolded(d))
      continue;
    for (int64_t boxes = 1; boxes <= size; ++boxes)
      if (size % boxes == 0 && size / boxes <= kLanes)
        if (auto sets = sharedTaps(op.getWindow()[d], taps, boxes); !sets.empty())
          withShared[d][boxes] = productsOf(all / taps, sets);
  }
}

PartChooser::ProductCycles PartChooser::productsOf(int64_t weights,
                                                   ArrayRef<SharedTaps> sets) const {
  ProductCycles cycles;
  for (const SharedTaps &set : sets) {
    cycles.each += double(weights * set.count * std::max(kLatchCycles, set.taps * rows));
    cycles.once += kLoopCycles;
  }
  return cycles;
}

double PartChooser::cyclesOf(const FilterPart &part) const {
  int64_t boxes = part.boxes();
  if (!part.shared)
    return double(boxes) * (plain.each / kArrays + transposed) + plain.once;
  int64_t along = part.dims[*part.shared + 1].blocks;
  auto found = withShared[*part.shared].find(along);
  if (found == withShared[*part.shared].end())
    return INFINITY;
  const int64_t groups = boxes / along;
  return double(groups) * found->second.each / kArrays + double(boxes) * transposed +
         found->second.once;
}

/// Runs of dimension `inner` as `dim` says, and of the other dimensions those that make most of a
/// box.
FilterPart PartChooser::partOf(int64_t inner, FilterPart::Dim dim,
                               std::optional<int64_t> shared) const {
  FilterPart part;
  part.shared = shared;
  for (auto [d, size] : llvm::enumerate(shape)) {
    part.dims.push_back({0, size, 1});
    part.dims.back().isSpread = shared && static_cast<int64_t>(d) == *shared + 1;
    if (static_cast<int64_t>(d) != inner)
      part.order.push_back(d);
  }
  part.order.push_back(inner);
  part.dims[inner] = dim;
  FilterPart found = part;
  double least = INFINITY;
  auto visit = [&](auto &visit, size_t number) -> void {
    if (number + 1 == part.order.size()) {
      if (double cycles = cyclesOf(part); cycles < least) {
        least = cycles;
        found = part;
      }
      return;
    }
    FilterPart::Dim &own = part.dims[part.order[number]];
    int64_t size = shape[part.order[number]];
    for (int64_t run = 1; run <= size && part.pitch() * part.runs() * run <= kLanes; ++run)
      if (size % run == 0) {
        own.run = run;
        own.blocks = size / run;
        visit(visit, number + 1);
        own.run = 1;
        own.blocks = size;
      }
  };
  visit(visit, 0);
  return found;
}

/// The parts whose fastest dimension is `inner`: whole runs of 128 and what is left of it.
void PartChooser::consider(int64_t inner, std::optional<int64_t> shared) {
  SmallVector<FilterPart, 2> parts;
  int64_t full = shape[inner] / kLanes, rest = shape[inner] % kLanes;
  if (full)
    parts.push_back(partOf(inner, {0, full, kLanes}, shared));
  if (rest)
    parts.push_back(partOf(inner, {full * kLanes, 1, rest}, shared));
  double cycles = 0;
  for (const FilterPart &part : parts)
    cycles += cyclesOf(part);
  if (best.empty() || cycles < fewest) {
    fewest = cycles;
    best = std::move(parts);
  }
}

void PartChooser::run() {
  for (int64_t inner = shape.size() - 1; inner >= 0; --inner)
    consider(inner, std::nullopt);
  for (auto [d, cycles] : llvm::enumerate(withShared))
    for (int64_t inner = shape.size() - 1; inner >= 0 && !cycles.empty(); --inner)
      if (inner != static_cast<int64_t>(d) + 1)
        consider(inner, d);
}

SmallVector<FilterPart, 2> filterParts(stablehlo::ConvolutionOp op, ArrayRef<int64_t> shape) {
  PartChooser chooser(op, shape);
  chooser.run();
  return std::move(chooser.best);
}

double filterCycles(stablehlo::ConvolutionOp op, ArrayRef<int64_t> shape) {
  PartChooser chooser(op, shape);
  chooser.run();
  // Sums of elements of the window that lie side by side move to rows of their own, and are added.
  int64_t moved = laneFoldOf(op).isNeeded() ? 2 * paddedBytes(op.getType()) / kRowBytes : 0;
  return chooser.fewest + double(moved);
}

} // namespace systole
