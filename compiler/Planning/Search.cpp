// Searches for the blocking of a group that the machine's model finds the fastest.
// See docs/decisions/kernels-and-plans.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Search.h"

#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/Legality.h"
#include "compiler/Planning/Tiles.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/TensorTypes.h"

#include <map>

using namespace mlir;

namespace systole {

namespace {

// The effort of the search; none of these says what anything costs.
/// Axes of a grid beside those of chunks.
constexpr size_t kMostAxes = 3;
/// Blockings to which the next axis is added.
constexpr size_t kBeam = 3;
/// The same of blockings that do not fit, and which of their tiles are kept: every second one.
constexpr size_t kMissingBeam = 6, kMissingStep = 2;
/// A blocking that takes so little more than the busiest unit needs in any is good enough.
constexpr double kCloseToBound = 1.02;
/// Smaller tiles that are tried although a larger one was faster.
constexpr int kPatience = 1;
/// Tiles that are tried of an axis that makes room for larger tiles of another.
constexpr size_t kNewTiles = 3;
/// Passes over the neighbours of the best blocking.
constexpr int kMostRefinements = 8;

/// Bytes that VMEM lacks for a blocking, else its cycles.
struct Cost {
  int64_t missingBytes = 0;
  double cycles = 0;
};

struct Candidate : Cost {
  Blocking blocking;

  Candidate(Blocking blocking, Cost cost) : Cost(cost), blocking(std::move(blocking)) {}

  bool fits() const { return missingBytes == 0; }
  bool operator<(const Candidate &other) const {
    return std::tie(missingBytes, cycles) < std::tie(other.missingBytes, other.cycles);
  }
};

class Search {
public:
  Search(Axes &axes, const StepBytes &bytes, const PlanningContext &machine, VmemShare vmem,
         CyclesOutside outside, SearchObserver observer, bool replicates)
      : axes(axes), bytes(bytes), machine(machine), vmem(vmem), outside(outside),
        observer(observer), replicates(replicates),
        estimator(axes.operations(), machine.model, machine.precision) {}

  std::optional<Choice> run() {
    for (Blocking &chunks : axes.chunkings()) {
      chunks.residents.assign(vmem.residents.begin(), vmem.residents.end());
      runFrom(chunks);
    }
    if (!overall)
      return std::nullopt;
    Choice choice{std::move(overall->blocking), overall->cycles};
    choice.blocking.divided = estimator.of(choice.blocking).divided;
    return choice;
  }

private:
  /// Searches the blockings with these axes of chunks.
  void runFrom(const Blocking &base) {
    chunkAxes = base.cuts.size();
    best.reset();
    measured.clear();
    admitted.clear();
    Candidate whole(base, {missingBytes(base), 0});
    if (!violationOf(base, axes)) {
      Estimate estimate = estimator.of(base);
      whole.cycles = estimate.cycles + cyclesOutside(base);
      // No blocking has less work, and none has a result before its first operands arrive.
      const GroupTensors &tensors = axes.groupTensors();
      int64_t latencies = !tensors.inputs.empty() + !tensors.outputs.empty();
      bound = llvm::max_element(estimate.busy)[0] + latencies * machine.model.dmaLatency();
      if (whole.fits())
        best = whole;
      observe(base, whole);
    }
    addAxes(std::move(whole));
    if (!best)
      return;
    refine();
    if (!overall || *best < *overall)
      overall = std::move(best);
  }

  bool isGoodEnough() const { return best && best->cycles <= kCloseToBound * bound; }

  /// Adds axes one at a time to the most promising blockings, wherever they may be in the order of
  /// the grid.
  void addAxes(Candidate whole) {
    if (isGoodEnough())
      return;
    cuts = axes.parallelCuts();
    SmallVector<Candidate, 0> beam = {std::move(whole)};
    for (size_t count = 0; count < std::min(kMostAxes, cuts.size()); ++count) {
      SmallVector<Candidate, 0> longer;
      for (const Candidate &candidate : beam)
        for (const Cut &cut : cuts) {
          if (isGoodEnough())
            return;
          if (hasAxis(candidate.blocking, cut))
            continue;
          for (size_t place = 0; place <= count; ++place)
            addAxis(candidate.blocking, cut, place, longer);
        }
      keepPromising(longer);
      bool isFaster = best && !longer.empty() && longer.front() < *best;
      if (longer.empty() || (best && !isFaster))
        return;
      if (longer.front().fits())
        best = longer.front();
      beam.assign(longer.begin(), longer.end());
    }
  }

  static bool hasAxis(const Blocking &blocking, const Cut &cut) {
    return llvm::any_of(blocking.cuts, [&](const Cut &other) {
      return other.seed == cut.seed && other.seedDim == cut.seedDim;
    });
  }

  /// Adds `base` with one more axis to `found`: in the best tiles, or in several if none fits, of
  /// which another axis will show which are worth it.
  void addAxis(const Blocking &base, const Cut &cut, size_t place,
               SmallVectorImpl<Candidate> &found) {
    Blocking blocking = base;
    Cut &axis = *blocking.cuts.insert(blocking.cuts.begin() + place, cut);
    if (!admitsAxes(blocking))
      return;
    SmallVector<Candidate, 0> missing;
    std::optional<Candidate> fastest;
    int slower = 0;
    for (int64_t tile : coarseTiles(axis, axes)) {
      axis.blockSize = tile;
      std::optional<Candidate> candidate = measure(blocking);
      if (!candidate)
        continue;
      if (!candidate->fits()) {
        missing.push_back(*std::move(candidate));
      } else if (!fastest || *candidate < *fastest) {
        fastest = std::move(candidate);
        slower = 0;
      } else if (++slower > kPatience) {
        break;
      }
    }
    if (fastest)
      return found.push_back(*std::move(fastest));
    for (size_t number = 0; number < missing.size(); ++number)
      if ((missing.size() - 1 - number) % kMissingStep == 0)
        found.push_back(std::move(missing[number]));
  }

  /// The fastest candidates; if none fits, those that miss the fewest bytes.
  static void keepPromising(SmallVectorImpl<Candidate> &candidates) {
    llvm::stable_sort(candidates);
    bool fits = !candidates.empty() && candidates.front().fits();
    candidates.truncate(std::min(candidates.size(), fits ? kBeam : kMissingBeam));
  }

  int64_t missingBytes(const Blocking &blocking) const {
    int64_t taken = replicates ? bytes.replicatedFootprint(blocking) : bytes.footprint(blocking);
    return std::max<int64_t>(taken - vmem.bytes, 0);
  }

  double cyclesOutside(const Blocking &blocking) const { return outside ? outside(blocking) : 0; }

  void observe(const Blocking &blocking, const Cost &cost) const {
    if (observer)
      observer(blocking, cost.missingBytes, cost.cycles);
  }

  /// The axes of a blocking beside those of chunks.
  using Key = SmallVector<int64_t, 16>;
  Key keyOf(const Blocking &blocking, bool withTiles) const {
    Key key;
    for (const Cut &cut : ArrayRef(blocking.cuts).drop_back(chunkAxes)) {
      auto seed = reinterpret_cast<intptr_t>(cut.seed.getAsOpaquePointer());
      key.append({static_cast<int64_t>(seed), cut.seedDim});
      if (withTiles)
        key.push_back(cut.blockSize);
    }
    return key;
  }

  /// Whether the axes are legal in this order, whatever their tiles.
  bool admitsAxes(const Blocking &blocking) {
    auto [known, isNew] = admitted.try_emplace(keyOf(blocking, /*withTiles=*/false));
    if (isNew)
      known->second = !axesViolationOf(blocking, axes);
    return known->second;
  }

  /// The cost of `blocking`, if it is legal. Neighbours of several blockings are measured once.
  std::optional<Candidate> measure(const Blocking &blocking) {
    auto [known, isNew] = measured.try_emplace(keyOf(blocking, /*withTiles=*/true));
    if (isNew)
      known->second = costOf(blocking);
    if (!known->second)
      return std::nullopt;
    return Candidate(blocking, *known->second);
  }

  std::optional<Cost> costOf(const Blocking &blocking) {
    if (!admitsAxes(blocking) || tilesViolationOf(blocking, axes))
      return std::nullopt;
    Cost cost{missingBytes(blocking), 0};
    if (!cost.missingBytes)
      cost.cycles = estimator.of(blocking).cycles + cyclesOutside(blocking);
    observe(blocking, cost);
    return cost;
  }

  /// Moves to the best of the neighbours as long as one is faster.
  void refine() {
    for (int pass = 0; pass < kMostRefinements && !isGoodEnough(); ++pass)
      if (!improve())
        return;
  }

  bool improve() {
    Blocking from = best->blocking;
    double before = best->cycles;
    auto consider = [&](const Blocking &blocking) {
      std::optional<Candidate> candidate = measure(blocking);
      if (candidate && *candidate < *best)
        best = std::move(candidate);
    };
    size_t count = from.cuts.size() - chunkAxes;
    for (size_t number = 0; number < count; ++number) {
      SmallVector<int64_t> tiles = nearbyTiles(from.cuts[number], axes);
      for (int64_t tile : tiles) {
        Blocking changed = from;
        changed.cuts[number].blockSize = tile;
        consider(changed);
        // More of one axis may need less of another.
        for (size_t other = 0; other < count && tile > from.cuts[number].blockSize; ++other) {
          Blocking both = changed;
          if (other == number || !halve(both.cuts[other]))
            continue;
          consider(both);
        }
      }
      if (2 * from.cuts[number].blockSize >= from.cuts[number].size) {
        Blocking without = from;
        without.cuts.erase(without.cuts.begin() + number);
        consider(without);
      }
      if (number > 0) {
        Blocking swapped = from;
        std::swap(swapped.cuts[number], swapped.cuts[number - 1]);
        consider(swapped);
      }
    }
    // A new axis, which leaves room for more of another.
    for (const Cut &cut : cuts) {
      SmallVector<int64_t> tiles = coarseTiles(cut, axes);
      if (hasAxis(from, cut) || tiles.empty())
        continue;
      Blocking longer = from;
      longer.cuts.insert(longer.cuts.begin(), cut);
      for (int64_t tile : ArrayRef(tiles).take_front(kNewTiles)) {
        longer.cuts.front().blockSize = tile;
        for (size_t number = 1; number <= count && count < kMostAxes; ++number) {
          Blocking grown = longer;
          if (grow(grown.cuts[number]))
            consider(grown);
        }
      }
    }
    return best->cycles < before;
  }

  bool grow(Cut &cut) const {
    SmallVector<int64_t> tiles = coarseTiles(cut, axes);
    auto larger = llvm::find_if(llvm::reverse(tiles),
                                [&](int64_t tile) { return 2 * tile >= 3 * cut.blockSize; });
    if (larger == tiles.rend())
      return false;
    cut.blockSize = *larger;
    return true;
  }

  bool halve(Cut &cut) const {
    SmallVector<int64_t> tiles = coarseTiles(cut, axes);
    auto smaller =
        llvm::find_if(tiles, [&](int64_t tile) { return 3 * tile <= 2 * cut.blockSize; });
    if (smaller == tiles.end())
      return false;
    cut.blockSize = *smaller;
    return true;
  }

  Axes &axes;
  const StepBytes &bytes;
  const PlanningContext &machine;
  VmemShare vmem;
  CyclesOutside outside;
  SearchObserver observer;
  bool replicates; ///< VMEM has room for all replicated buffers
  Estimator estimator;
  SmallVector<Cut> cuts;         ///< that axes may be
  size_t chunkAxes = 0;          ///< the innermost
  double bound = 0;              ///< cycles that no blocking is expected to stay below
  std::optional<Candidate> best; ///< with these axes of chunks
  /// Legal or not, what blockings with these axes of chunks take, by their axes.
  std::map<Key, std::optional<Cost>> measured;
  std::map<Key, bool> admitted;     ///< whether their axes are legal
  std::optional<Candidate> overall; ///< with any
};

} // namespace

std::optional<Choice> searchBlocking(Axes &axes, const StepBytes &bytes,
                                     const PlanningContext &machine, VmemShare vmem,
                                     CyclesOutside outside, SearchObserver observer) {
  auto search = [&](bool replicates) {
    return Search(axes, bytes, machine, vmem, outside, observer, replicates).run();
  };
  // Estimates take for granted that elements are replicated where that pays.
  if (bytes.hasReplicated())
    if (std::optional<Choice> choice = search(/*replicates=*/true))
      return choice;
  return search(/*replicates=*/false);
}

} // namespace systole
