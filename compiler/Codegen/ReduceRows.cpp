// Lowers kernel.reduce with partial results by row modulo 8 and by lane.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Reduce.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

void ReduceLowering::bindRow(Value row, size_t dimCount, llvm::function_ref<void()> inside) {
  if (dimCount == 0)
    return inside();
  // In the outermost dimension the remainder covers all remaining rows.
  size_t dim = plan.rows[dimCount - 1];
  if (dimCount == 1)
    return walker.bind(dim, row, inside);
  int64_t extent = plan.dims[dim].extent;
  walker.bind(dim, e.remainder(row, extent),
              [&] { bindRow(e.divide(row, extent), dimCount - 1, inside); });
}

void ReduceLowering::bindVector(Value vector, llvm::function_ref<void()> inside) {
  if (plan.rows.empty())
    return walker.bind(plan.sublaneDim, e.constant(0), inside);
  size_t last = plan.rows.size() - 1;
  if (last == 0)
    return walker.bind(plan.rows[0], e.mul(vector, kSublanes), inside);
  // With several dimensions the innermost one consists of whole vectors.
  int64_t vectors = plan.dims[plan.rows[last]].extent / kSublanes;
  walker.bind(plan.rows[last], e.mul(e.remainder(vector, vectors), kSublanes),
              [&] { bindRow(e.divide(vector, vectors), last, inside); });
}

// Slots are separate vectors, each with as many partial results as there are sublanes.
Values ReduceLowering::accumulateSlots() {
  int64_t rows = plan.rowCount(), groups = plan.groupCount();
  int64_t slots = std::min(rows, kSublanes);
  size_t outputCount = outputs.size();
  bool unrolled = rows * groups <= maxUnrolledEvaluations;
  auto at = [&](Value row, Value group) {
    Values values;
    bindGroup(group, [&] { bindRow(row, plan.rows.size(), [&] { values = evaluate(); }); });
    return values;
  };
  // Combines one more value into each of the first `count` slots; rows count from `first`.
  auto add = [&](Value first, Value group, int64_t count, ValueRange flat) {
    SmallVector<Value> next(flat);
    Value valid = validLanes(group);
    for (int64_t slot = 0; slot < count; ++slot) {
      auto *begin = next.begin() + slot * outputCount;
      Values old(begin, begin + outputCount);
      Values values = combiner.append(old, at(e.add(first, slot), group), valid);
      llvm::copy(values, begin);
    }
    return next;
  };

  SmallVector<Value> flat;
  for (int64_t slot = 0; slot < slots; ++slot)
    llvm::append_range(flat, at(e.constant(slot), e.constant(0)));
  flat = steps(1, groups, unrolled, flat, [&](Value group, ValueRange carried) {
    return add(e.constant(0), group, slots, carried);
  });
  auto addRows = [&](Value first, int64_t count, ValueRange carried) {
    return steps(0, groups, unrolled || groups == 1, carried,
                 [&](Value group, ValueRange inner) { return add(first, group, count, inner); });
  };
  int64_t whole = rows / kSublanes;
  if (whole > 1)
    flat = steps(1, whole, unrolled, flat, [&](Value chunk, ValueRange carried) {
      return addRows(e.mul(chunk, kSublanes), kSublanes, carried);
    });
  if (whole > 0 && rows % kSublanes)
    flat = addRows(e.constant(whole * kSublanes), rows % kSublanes, flat);

  auto slotValues = [&](int64_t slot) {
    auto *begin = flat.begin() + slot * outputCount;
    return Values(begin, begin + outputCount);
  };
  for (int64_t distance = kSublanes / 2; distance > 0; distance /= 2)
    for (int64_t slot = 0; slot < distance && slot + distance < slots; ++slot)
      llvm::copy(combiner.combine(slotValues(slot), slotValues(slot + distance)),
                 flat.begin() + slot * outputCount);
  return slotValues(0);
}

Value ReduceLowering::cellsBelow(int64_t count) {
  Value row = core::VShlOp::create(e.b, e.loc, e.vectorType(), e.sublaneId(),
                                   e.splatBits(llvm::Log2_64(kLanes)));
  Value number = core::VAddOp::create(e.b, e.loc, e.vectorType(), row, e.laneId());
  return core::VLtOp::create(e.b, e.loc, e.maskType(), number, e.splatBits(count));
}

// The slots are the sublanes of one vector; the result is in sublane 0.
Values ReduceLowering::accumulateVectors() {
  int64_t rows = plan.rowCount(), groups = plan.groupCount();
  // If groups consist of rows, the last one may be short.
  int64_t whole = plan.groupsAreRows ? plan.laneCount / (kSublanes * kLanes) : rows / kSublanes;
  int64_t rest = rows - whole * kSublanes;
  bool unrolled = (whole + (rest != 0)) * groups <= maxUnrolledEvaluations;
  auto at = [&](Value vector, Value group) {
    Values values;
    bindGroup(group, [&] { bindVector(vector, [&] { values = evaluate(); }); });
    return values;
  };
  auto add = [&](Value vector, Value group, Value validRows, ValueRange carried) {
    Value valid = e.maskAnd(validRows, validLanes(group));
    Values values = combiner.append(Values(carried), at(vector, group), valid);
    return SmallVector<Value>(values.begin(), values.end());
  };
  auto addVector = [&](Value vector, int64_t firstGroup, Value validRows, ValueRange carried) {
    return steps(
        firstGroup, groups, unrolled || groups == 1, carried,
        [&](Value group, ValueRange inner) { return add(vector, group, validRows, inner); });
  };

  bool onlyRest = whole == 0;
  if (onlyRest)
    walker.setSublanes(rest);
  Values first = at(e.constant(0), e.constant(0));
  SmallVector<Value> sums(first.begin(), first.end());
  // Sublanes for which the first vector has no rows are never read.
  sums = addVector(e.constant(0), 1, nullptr, sums);
  if (whole > 1)
    sums = steps(1, whole, unrolled, sums, [&](Value vector, ValueRange carried) {
      return addVector(vector, 0, nullptr, carried);
    });
  if (!onlyRest && rest) {
    walker.setSublanes(rest);
    Value valid = plan.groupsAreRows ? cellsBelow(plan.laneCount % (kSublanes * kLanes))
                                     : walker.sublaneLimit();
    sums = addVector(e.constant(whole), 0, valid, sums);
  }
  walker.setSublanes(kSublanes);
  return combiner.overSublanes(Values(sums.begin(), sums.end()), std::min(rows, kSublanes));
}
