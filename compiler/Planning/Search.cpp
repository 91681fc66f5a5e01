// Searches for a blocking by which the operations of a kernel run fast.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Search.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Legality.h"
#include "compiler/Planning/Windows.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// Kernels that move less than this run in one step: the start-up of more
/// copies would cost what their overlap saves.
constexpr int64_t kWholeBytes = 512 << 10;
/// Bytes that one grid step should move, so that its copies take several times their
/// start-up latency. Each reduction is two more stages, the combination of sublanes and
/// lanes among them, that fill and drain by themselves.
constexpr int64_t kStepBytes = 256 << 10;
/// A convolution pads, and reads more of the image the smaller its blocks are.
constexpr int64_t kConvolutionStages = 8;

/// Each step waits for the first and the last of its windows' copies.
constexpr int64_t kWindowStages = 7;

/// Contractions with fewer results, of fewer operands, gain nothing from a grid of their own.
constexpr int64_t kLargeProduct = 256 * 1024;
/// Blocks of a large contraction. Weights of a block stay in the arrays for
/// kRowBlock rows, twice the time that the next ones take to latch; a column block
/// of 512 makes f32 rows arrive in half the time that they take to pass.
constexpr int64_t kRowBlock = 256;
constexpr int64_t kColumnBlock = 512;
/// Tensors along whose dimensions to try to cut; what they have in common with others is
/// found from any of them.
constexpr size_t kMaxSeeds = 4;

/// Searches for a blocking of one group of operations.
class Search {
public:
  Search(Axes &axes, const StepBytes &bytes, int64_t vmemBytes)
      : ops(axes.operations()), tensors(axes.groupTensors()), axes(axes), bytes(bytes),
        vmemBytes(vmemBytes) {}

  std::optional<Blocking> run() {
    std::optional<Blocking> base = axes.chunks();
    if (!base)
      return std::nullopt;
    bool fits = bytes.footprint(*base) <= vmemBytes && isValid(*base);
    if (fits && (!base->isWhole() || bytes.moved(*base) <= kWholeBytes || hasScatter()))
      return base;
    std::optional<Blocking> cut = cutContraction(*base);
    if (!cut || hasBatchedProduct()) {
      // Whole products of a batch pass as fast as blocks of them, in fewer steps.
      std::optional<Blocking> parallel = cutParallel(*base);
      if (!cut || (parallel && productBytes(ops, *parallel) <= productBytes(ops, *cut)))
        cut = std::move(parallel);
    }
    // Steps of few rows latch all weights again for longer than copies take that nothing covers;
    // and what fits as a whole is read once.
    bool isWorse = cut && fits &&
                   (readsTwice(*cut) ||
                    productBytes(ops, *cut) > bytes.moved(*base) + productBytes(ops, *base));
    return isWorse || (!cut && fits) ? base : cut;
  }

private:
  /// Whether readers of some tensor have blocks of their own.
  static bool readsTwice(const Blocking &blocking) {
    return llvm::any_of(blocking.cuts, [](const Cut &cut) { return !cut.ownDims.empty(); });
  }

  /// Every step goes through all updates: the fewer, the better.
  bool hasScatter() const {
    return llvm::any_of(ops, [](Operation *op) { return isa<stablehlo::ScatterOp>(op); });
  }

  /// Whether `cut` goes through the windows of a gather, not between them.
  bool cutsWindows(const Cut &cut) const {
    return llvm::any_of(tensors.windowed, [&](Operation *op) {
      auto gather = dyn_cast<stablehlo::GatherOp>(op);
      std::optional<int64_t> dim = gather ? cut.dimOf(gather.getResult()) : std::nullopt;
      return dim && operandDimOf(gather, *dim);
    });
  }

  bool hasConvolution() const {
    return llvm::any_of(ops, [](Operation *op) { return kindOf(op) == OpKind::Convolution; });
  }

  bool isValid(const Blocking &blocking) const { return !violationOf(blocking, axes); }

  /// Adds `cut` as the innermost one but for those which add up chunks.
  static Cut &insert(Blocking &blocking, Cut cut) {
    auto *place =
        llvm::find_if(blocking.cuts, [](const Cut &other) { return !other.accumulating.empty(); });
    return *blocking.cuts.insert(place, std::move(cut));
  }

  /// Cuts a group around one large contraction along its columns and rows, of a batch one after the
  /// other. A block of right-hand columns stays while the blocks of rows pass through the
  /// arrays, so that what moves in a step is small against what is computed.
  std::optional<Blocking> cutContraction(const Blocking &base) {
    stablehlo::DotGeneralOp dot;
    for (Operation *op : ops)
      if (auto found = dyn_cast<stablehlo::DotGeneralOp>(op))
        dot = found;
    if (!dot)
      return std::nullopt;
    int64_t rank = typeOf(dot).getRank();
    int64_t rows = typeOf(dot).getDimSize(rank - 2), columns = typeOf(dot).getDimSize(rank - 1);
    int64_t depth = typeOf(dot.getLhs()).getDimSize(rank - 1);
    if (rows * std::max(columns, depth) < kLargeProduct)
      return std::nullopt;
    Blocking blocking = base;
    auto add = [&](int64_t dim, int64_t blockSize) {
      std::optional<Cut> cut;
      // Operands of sums over chunks of this dimension are cut already.
      bool isFree = llvm::none_of(
          base.cuts, [&](const Cut &other) { return other.dimOf(dot.getResult()) == dim; });
      if (isFree && typeOf(dot).getDimSize(dim) > blockSize)
        cut = axes.cutAlong(dot.getResult(), dim);
      if (!cut || !axes.startsAtQuanta(*cut, blockSize))
        return;
      cut->blockSize = blockSize;
      insert(blocking, std::move(*cut));
    };
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      add(dim, 1);
    add(rank - 1, kColumnBlock);
    add(rank - 2, kRowBlock);
    if (blocking.cuts.size() == base.cuts.size())
      return std::nullopt;
    // Fewer rows first: a narrower column block moves the rows more often.
    for (Cut &cut : llvm::reverse(blocking.cuts))
      while (cut.accumulating.empty() && bytes.footprint(blocking) > vmemBytes &&
             cut.blockSize > kLanes && axes.startsAtQuanta(cut, cut.blockSize / 2))
        cut.blockSize /= 2;
    if (bytes.footprint(blocking) > vmemBytes || !isValid(blocking))
      return std::nullopt;
    return blocking;
  }

  /// Whether there are products of a batch of matrices.
  bool hasBatchedProduct() const {
    return llvm::any_of(ops, [](Operation *op) {
      return isa<stablehlo::DotGeneralOp>(op) && typeOf(op->getResult(0)).getRank() > 2;
    });
  }

  /// Cuts along dimensions of the largest tensors, the outermost first: along one if that
  /// makes everything fit, else along as many as it takes.
  std::optional<Blocking> cutParallel(const Blocking &base) {
    auto size = [](Value value) { return paddedBytes(typeOf(value)); };
    SmallVector<Value> seeds(tensors.outputs.begin(), tensors.outputs.end());
    llvm::append_range(seeds, tensors.inputs);
    for (Operation *op : tensors.windowed)
      if (isUpdatedInHbm(op->getResult(0)) && !llvm::is_contained(seeds, slicedValue(op)))
        seeds.push_back(slicedValue(op));
    llvm::stable_sort(seeds, [&](Value a, Value b) { return size(a) > size(b); });
    seeds.resize(std::min(seeds.size(), kMaxSeeds));
    for (Value seed : seeds) {
      SmallVector<Cut> cuts;
      for (int64_t dim = 0; dim < typeOf(seed).getRank(); ++dim)
        if (std::optional<Cut> cut = axes.cutAlong(seed, dim); cut && cut->accumulating.empty())
          cuts.push_back(std::move(*cut));
      // A value that is read at an offset may move a second time, within VMEM, tensors whose
      // readers do not agree are read twice, and parts of windows are more copies than windows.
      auto drawbacks = [&](const Cut &cut) {
        return std::tuple(!cut.ownDims.empty(), !cut.offsetBlocks.empty(), cutsWindows(cut));
      };
      llvm::stable_sort(cuts,
                        [&](const Cut &a, const Cut &b) { return drawbacks(a) < drawbacks(b); });
      std::optional<Blocking> best;
      auto consider = [&](std::optional<Blocking> blocking) {
        if (blocking && (!best || bytes.movedInAll(*blocking) < bytes.movedInAll(*best)))
          best = std::move(blocking);
        // Windows that overlap are read again, the more of them the smaller blocks are.
        return best && !hasConvolution();
      };
      for (const Cut &cut : cuts)
        if (consider(fit(base, cut)))
          return best;
      Blocking outer = base;
      for (const Cut &cut : cuts) {
        std::optional<int64_t> quantum = axes.quantumOf(cut, /*vectors=*/false);
        if (!quantum || *quantum >= cut.size)
          continue;
        if (consider(fit(outer, cut)))
          return best;
        for (Blocking wider = outer; widen(wider);)
          consider(fit(wider, cut));
        insert(outer, cut).blockSize = *quantum;
      }
      if (best)
        return best;
    }
    return std::nullopt;
  }

  /// Doubles the blocks of the innermost axis if windows overlap along it: what overlaps is
  /// read again by each.
  bool widen(Blocking &blocking) const {
    auto cut = llvm::find_if(llvm::reverse(blocking.cuts),
                             [](const Cut &other) { return other.accumulating.empty(); });
    if (!hasConvolution() || cut == blocking.cuts.rend() || cut->offsetBlocks.empty() ||
        2 * cut->blockSize >= cut->size)
      return false;
    cut->blockSize *= 2;
    return true;
  }

  /// A block not much smaller that divides the cut dimension, if there is one: else the windows
  /// move once more within VMEM, for the sake of the last one.
  static int64_t evenBlock(const Cut &cut, int64_t quantum) {
    for (int64_t size = cut.blockSize; size > cut.blockSize / 2; size -= quantum)
      if (cut.size % size == 0)
        return size;
    return cut.blockSize;
  }

  /// Of a convolution, whose last block is padded if it is shorter, and copied row by row where
  /// its lanes are cut: up to twice the block if that fits, or else not less than 0.7 of it.
  void makeEven(Blocking &blocking, Cut &cut, int64_t quantum) const {
    int64_t size = cut.blockSize;
    auto divides = [&](int64_t other) {
      cut.blockSize = other;
      return cut.size % other == 0 && bytes.footprint(blocking) <= vmemBytes;
    };
    for (int64_t more = size; more < 2 * size && more < cut.size; more += quantum)
      if (divides(more))
        return;
    for (int64_t less = size - quantum; 10 * less > 7 * size; less -= quantum)
      if (divides(less))
        return;
    cut.blockSize = size;
  }

  /// `base` and `cut`, in steps of a good size or of the largest that fits.
  std::optional<Blocking> fit(const Blocking &base, const Cut &cut) const {
    Blocking blocking = base;
    Cut &inner = insert(blocking, cut);
    int64_t stages = 1;
    for (Operation *op : ops)
      stages += kindOf(op) == OpKind::Reduce        ? 2
                : kindOf(op) == OpKind::Convolution ? kConvolutionStages
                                                    : 0;
    if (cutsWindows(cut))
      stages += kWindowStages;
    int64_t steps =
        std::max<int64_t>(1, llvm::divideCeil(bytes.moved(blocking), kStepBytes * stages));
    int64_t wanted = llvm::divideCeil(cut.size, hasScatter() ? 2 : steps);
    for (bool vectors : {true, false}) {
      std::optional<int64_t> quantum = axes.quantumOf(cut, vectors);
      if (!quantum || *quantum >= cut.size)
        continue;
      inner.blockSize = llvm::alignTo(wanted, *quantum);
      while (bytes.footprint(blocking) > vmemBytes && inner.blockSize > *quantum)
        inner.blockSize = llvm::alignTo(inner.blockSize / 2, *quantum);
      if (!tensors.windowed.empty())
        inner.blockSize = evenBlock(inner, *quantum);
      else if (hasConvolution())
        makeEven(blocking, inner, *quantum);
      if (inner.steps() > 1 && bytes.footprint(blocking) <= vmemBytes && isValid(blocking))
        return blocking;
    }
    return std::nullopt;
  }

  ArrayRef<Operation *> ops;
  const GroupTensors &tensors;
  Axes &axes;
  const StepBytes &bytes;
  int64_t vmemBytes;
};

} // namespace

std::optional<Blocking> searchBlocking(Axes &axes, const StepBytes &bytes, int64_t vmemBytes) {
  return Search(axes, bytes, vmemBytes).run();
}

} // namespace systole
