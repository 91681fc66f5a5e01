// Index maps as row strides, and the remaining dimensions to loop over.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Access.h"
#include "dialects/Kernel/Bounds.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

Access codegen::accessOf(const BufferRef &buffer, AffineMap map, ArrayRef<int64_t> sizes) {
  Access access;
  access.buffer = buffer;
  access.strides.assign(sizes.size(), 0);
  access.lanes = Access::Lanes::first;
  for (int64_t position = buffer.type.getRank() - 1; position >= 0; --position) {
    bool isLast = position + 1 == buffer.type.getRank() && !buffer.type.getReplicated();
    int64_t stride = isLast ? 1 : buffer.type.getPitch(position);
    kernel::LinearIndex index = *kernel::linearIndexOf(map.getResult(position));
    if (!isLast)
      access.first += stride * index.offset;
    // A dimension of size 1 only has index 0.
    if (index.dim && sizes[*index.dim] != 1) {
      int64_t from = *index.dim;
      if (!isLast) {
        access.strides[from] = stride * index.factor;
      } else if (from + 1 == static_cast<int64_t>(sizes.size())) {
        access.lanes = Access::Lanes::along;
        access.strides[from] = 1;
      } else {
        access.lanes = Access::Lanes::chosen;
        access.laneDim = from;
      }
    }
  }
  // If only lane 0 is used, or all have the element, it need not be broadcast.
  bool isUniform = buffer.type.getReplicated() || sizes.empty() || sizes.back() == 1;
  if (access.lanes == Access::Lanes::first && isUniform)
    access.lanes = Access::Lanes::along;
  return access;
}

SmallVector<LoopDim> codegen::loopDims(ArrayRef<int64_t> sizes, ArrayRef<Access> accesses,
                                       ArrayRef<bool> pinned, ArrayRef<bool> reduced) {
  auto rows = llvm::map_to_vector(
      accesses, [](const Access &access) -> const RowAccess * { return &access; });
  return systole::loopDims(sizes, rows, pinned, reduced);
}

bool codegen::paddingTakesLastGroup(ArrayRef<LoopDim> dims, size_t sublaneDim,
                                    ArrayRef<Access> accesses, size_t inputs) {
  return llvm::all_of(llvm::enumerate(accesses), [&](auto each) {
    auto [number, access] = each;
    return !access.buffer.isPart &&
           systole::paddingTakesLastGroup(dims, sublaneDim, access, number,
                                          access.buffer.type.getOccupiedRows(), number >= inputs);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// Emits the levels of a plan, outermost first.
class LoopEmission {
public:
  LoopEmission(Walker &walker, const LoopPlan &plan, ArrayRef<int64_t> firsts,
               ArrayRef<int64_t> trips, ArrayRef<int64_t> steps, bool independent,
               llvm::function_ref<void()> body)
      : walker(walker), plan(plan), firsts(firsts), trips(trips), steps(steps),
        independent(independent), body(body) {}

  void emit(size_t level) {
    if (level == plan.levels.size())
      return body();
    auto [dim, unrolled] = plan.levels[level];
    auto inside = [&, dim = dim](Value index) {
      walker.bind(dim, index, [&] { emit(level + 1); });
    };
    int64_t end = firsts[dim] + trips[dim] * steps[dim];
    if (unrolled) {
      for (int64_t index = firsts[dim]; index < end; index += steps[dim])
        inside(walker.e.constant(index));
      return;
    }
    bool hoists = plan.hoistsInvariants && level == plan.innermostLoop();
    if (hoists)
      hoist(level + 1);
    walker.e.loop(firsts[dim], end, steps[dim], inside, independent);
    if (hoists)
      walker.dropHoisted();
  }

private:
  void hoist(size_t firstUnrolled) {
    SmallVector<size_t> unrolled;
    for (const LoopPlan::Level &level : ArrayRef(plan.levels).drop_front(firstUnrolled))
      unrolled.push_back(level.dim);
    walker.hoist(unrolled, firsts, trips, steps);
  }

  Walker &walker;
  const LoopPlan &plan;
  ArrayRef<int64_t> firsts, trips, steps;
  bool independent;
  llvm::function_ref<void()> body;
};

} // namespace

void codegen::emitLoops(Walker &walker, const LoopPlan &plan, ArrayRef<int64_t> firsts,
                        ArrayRef<int64_t> trips, ArrayRef<int64_t> steps, bool independent,
                        llvm::function_ref<void()> body) {
  LoopEmission(walker, plan, firsts, trips, steps, independent, body).emit(0);
}
