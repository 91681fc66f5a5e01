// Lowers the partial results of kernel.reduce, and their combination up to one for each lane.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Reduce.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

void ReduceLowering::bind(size_t dim, Value index, llvm::function_ref<void()> inside, int64_t step,
                          size_t first) {
  if (first == walkers.size())
    return inside();
  Value place = e.add(index, static_cast<int64_t>(first) * step);
  walkers[first].bind(dim, place, [&] { bind(dim, index, inside, step, first + 1); });
}

void ReduceLowering::bindElement(Value number, size_t dimCount, llvm::function_ref<void()> inside) {
  if (dimCount == 0)
    return inside();
  // In the outermost dimension the remainder covers all remaining elements.
  size_t dim = plan.reduced[dimCount - 1];
  if (dimCount == 1)
    return bind(dim, number, inside);
  int64_t extent = plan.dims[dim].extent;
  bind(dim, e.remainder(number, extent),
       [&] { bindElement(e.divide(number, extent), dimCount - 1, inside); });
}

void ReduceLowering::bindVector(Value vector, llvm::function_ref<void()> inside) {
  if (plan.reduced.empty())
    return bind(plan.sublaneDim, e.constant(0), inside);
  size_t last = plan.reduced.size() - 1;
  if (last == 0)
    return bind(plan.reduced[0], e.mul(vector, kSublanes), inside);
  // With several dimensions the innermost one consists of whole vectors.
  int64_t vectors = plan.dims[plan.reduced[last]].extent / kSublanes;
  bind(plan.reduced[last], e.mul(e.remainder(vector, vectors), kSublanes),
       [&] { bindElement(e.divide(vector, vectors), last, inside); });
}

SmallVector<Values> ReduceLowering::accumulateSlots() {
  int64_t depth = plan.depth(), slots = plan.slotCount();
  size_t outputCount = outputs.size(), vectors = walkers.size();
  bool unrolled = depth <= maxUnrolledEvaluations;
  // The values of one element, by vector.
  auto at = [&](Value number) {
    SmallVector<Values> values;
    bindElement(number, plan.reduced.size(), [&] {
      for (Walker &place : walkers) {
        walker = &place;
        values.push_back(evaluate());
      }
    });
    return values;
  };
  auto startOf = [&](int64_t slot, size_t vector) {
    return (slot * vectors + vector) * outputCount;
  };
  auto slotOf = [&](ValueRange flat, int64_t slot, size_t vector) {
    auto begin = flat.begin() + startOf(slot, vector);
    return Values(begin, begin + outputCount);
  };
  int64_t passes = plan.slotPasses(outputCount, vectors);
  int64_t whole = depth / slots, rest = depth % slots;
  SmallVector<Value> flat(slots * vectors * outputCount);
  // Those slots of a pass, every `passes`-th from number `first` on, that are below `end`.
  auto add = [&](int64_t first, Value begin, int64_t end) {
    for (int64_t slot = first; slot < end; slot += passes) {
      Value number = e.add(begin, slot);
      SmallVector<Values> values = at(number);
      Value valid = validLanes(number);
      for (size_t vector = 0; vector < vectors; ++vector)
        llvm::copy(combiner.append(slotOf(flat, slot, vector), values[vector], valid),
                   flat.begin() + startOf(slot, vector));
    }
  };
  auto flatten = [&](int64_t first) {
    SmallVector<Value> carried;
    for (int64_t slot = first; slot < slots; slot += passes)
      carried.append(flat.begin() + startOf(slot, 0), flat.begin() + startOf(slot + 1, 0));
    return carried;
  };
  auto restore = [&](int64_t first, ValueRange carried) {
    for (int64_t slot = first; slot < slots; slot += passes) {
      llvm::copy(carried.take_front(vectors * outputCount), flat.begin() + startOf(slot, 0));
      carried = carried.drop_front(vectors * outputCount);
    }
  };
  // Combines slots `first`, `first` + `apart`, ... at a distance, of a pass or of all.
  auto combine = [&](int64_t distance, int64_t first, int64_t apart) {
    for (int64_t slot = first; slot < distance && slot + distance < slots; slot += apart)
      for (size_t vector = 0; vector < vectors; ++vector)
        llvm::copy(
            combiner.combine(slotOf(flat, slot, vector), slotOf(flat, slot + distance, vector)),
            flat.begin() + startOf(slot, vector));
  };

  for (int64_t pass = 0; pass < passes; ++pass) {
    for (int64_t slot = pass; slot < slots; slot += passes)
      for (auto [vector, values] : llvm::enumerate(at(e.constant(slot))))
        llvm::copy(values, flat.begin() + startOf(slot, vector));
    if (whole > 1)
      restore(pass, steps(1, whole, unrolled, flatten(pass), [&](Value block, ValueRange carried) {
                restore(pass, carried);
                add(pass, e.mul(block, slots), slots);
                return flatten(pass);
              }));
    add(pass, e.constant(whole * slots), rest);
    for (int64_t distance = plan.mostSlots / 2; distance >= passes; distance /= 2)
      combine(distance, pass, passes);
  }
  for (int64_t distance = std::min(plan.mostSlots, passes) / 2; distance > 0; distance /= 2)
    combine(distance, 0, 1);
  SmallVector<Values> results;
  for (size_t vector = 0; vector < vectors; ++vector)
    results.push_back(slotOf(flat, 0, vector));
  return results;
}

Value ReduceLowering::cellsBelow(int64_t count) {
  Value row = core::VShlOp::create(e.b, e.loc, e.vectorType(), e.sublaneId(),
                                   e.splatBits(llvm::Log2_64(kLanes)));
  Value number = core::VAddOp::create(e.b, e.loc, e.vectorType(), row, e.laneId());
  return core::VLtOp::create(e.b, e.loc, e.maskType(), number, e.splatBits(count));
}

Values ReduceLowering::accumulateVectors() {
  // Of groups of lanes the last one may be short.
  int64_t depth = plan.depth();
  int64_t whole = plan.numbersGroups ? plan.laneCount / (kSublanes * kLanes) : depth / kSublanes;
  int64_t rest = depth - whole * kSublanes;
  int64_t count = plan.accumulatorCount();
  bool unrolled = whole + (rest != 0) <= maxUnrolledEvaluations;
  int64_t passes = unrolled ? 1 : plan.passCount();
  SmallVector<Values> sums(count);
  auto at = [&](Value vector) {
    Values values;
    bindVector(vector, [&] { values = evaluate(); });
    return values;
  };

  // Sublanes for which the first vectors have no elements are never read.
  bool startsShort = rest != 0 && whole < count;
  int64_t blocks = whole / count, left = whole < count ? 0 : whole % count;
  auto accumulate = [&](int64_t first) {
    // Combines one more vector into each accumulator of this pass below `end`, from vector `begin`.
    auto add = [&](Value begin, int64_t end) {
      for (int64_t number = first; number < end; number += passes)
        sums[number] = combiner.append(sums[number], at(e.add(begin, number)), nullptr);
    };
    auto flatten = [&] {
      SmallVector<Value> flat;
      for (int64_t number = first; number < count; number += passes)
        llvm::append_range(flat, sums[number]);
      return flat;
    };
    auto restore = [&](ValueRange flat) {
      for (int64_t number = first; number < count; number += passes) {
        sums[number].assign(flat.begin(), flat.begin() + outputs.size());
        flat = flat.drop_front(outputs.size());
      }
    };
    for (int64_t number = first; number < count; number += passes) {
      walkers.front().setSublanes(startsShort && number == whole ? rest : kSublanes);
      sums[number] = at(e.constant(number));
    }
    walkers.front().setSublanes(kSublanes);
    if (blocks > 1)
      restore(steps(1, blocks, unrolled, flatten(), [&](Value block, ValueRange carried) {
        restore(carried);
        add(e.mul(block, count), count);
        return flatten();
      }));
    add(e.constant(blocks * count), left);
    if (rest && !startsShort && left % passes == first) {
      walkers.front().setSublanes(rest);
      Value valid = plan.numbersGroups ? cellsBelow(plan.laneCount % (kSublanes * kLanes))
                                       : walkers.front().sublaneLimit();
      sums[left] = combiner.append(sums[left], at(e.constant(whole)), valid);
      walkers.front().setSublanes(kSublanes);
    }
  };
  // Combines accumulators `first`, `first` + `apart`, ... at a distance, of a pass or of all.
  auto combine = [&](int64_t distance, int64_t first, int64_t apart) {
    for (int64_t number = first; number < distance && number + distance < count; number += apart) {
      bool isShort = startsShort && number + distance == whole;
      Value valid = isShort ? e.sublaneMask(nullptr, e.constant(rest)) : nullptr;
      sums[number] = combiner.combine(sums[number], sums[number + distance], valid);
    }
  };

  int64_t distance = plan.mostSlots / kSublanes / 2;
  for (int64_t pass = 0; pass < passes; ++pass) {
    accumulate(pass);
    for (int64_t d = distance; d >= passes; d /= 2)
      combine(d, pass, passes);
  }
  for (int64_t d = std::min(distance, passes / 2); d > 0; d /= 2)
    combine(d, 0, 1);
  return combiner.overSublanes(sums[0], std::min(depth, kSublanes));
}
