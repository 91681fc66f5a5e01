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
  ArrayRef<int64_t> shape = buffer.type.getShape();
  access.lanes = Access::Lanes::first;
  int64_t stride = buffer.type.getLaneTiles();
  for (int64_t position = buffer.type.getRank() - 1; position >= 0; --position) {
    bool isLast = position + 1 == buffer.type.getRank();
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
    if (!isLast)
      stride *= shape[position];
  }
  // If only lane 0 is used, it need not be broadcast.
  if (access.lanes == Access::Lanes::first && (sizes.empty() || sizes.back() == 1))
    access.lanes = Access::Lanes::along;
  return access;
}

SmallVector<LoopDim> codegen::loopDims(ArrayRef<int64_t> sizes, ArrayRef<Access> accesses,
                                       const SmallVectorImpl<bool> &pinned,
                                       const SmallVectorImpl<bool> &reduced) {
  SmallVector<LoopDim> dims;
  bool lastPinned = false;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    LoopDim dim;
    bool isLast = d + 1 == sizes.size();
    dim.extent = isLast ? llvm::divideCeil(size, kLanes) : size;
    dim.parts = {static_cast<int64_t>(d)};
    dim.reduced = reduced[d];
    bool isPinned = pinned[d];
    for (const Access &access : accesses) {
      dim.strides.push_back(access.strides[d]);
      isPinned |= access.laneDim == static_cast<int64_t>(d);
    }
    if (dim.extent == 1)
      continue;
    LoopDim *outer = dims.empty() ? nullptr : &dims.back();
    // Groups of lanes that are reduced keep their own order.
    bool merges = outer && !isPinned && !lastPinned && outer->reduced == dim.reduced &&
                  !(isLast && dim.reduced);
    for (size_t a = 0; merges && a < accesses.size(); ++a)
      merges = outer->strides[a] == dim.strides[a] * dim.extent;
    if (merges) {
      outer->extent *= dim.extent;
      outer->strides = dim.strides;
      outer->parts.append(dim.parts);
    } else {
      dims.push_back(std::move(dim));
      lastPinned = isPinned;
    }
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LoopPlan codegen::planLoops(ArrayRef<size_t> dimensions, ArrayRef<int64_t> trips,
                            int64_t maxCopies) {
  LoopPlan plan;
  if (dimensions.empty())
    return plan;
  size_t longest = dimensions[0];
  for (size_t dim : dimensions)
    if (trips[dim] >= trips[longest])
      longest = dim;
  // Unrolling short loops pays if a longer one remains to be pipelined, or if nothing remains to
  // loop over.
  SmallVector<size_t> unrolled;
  int64_t copies = 1;
  for (size_t dim : llvm::reverse(dimensions)) {
    if (dim == longest || copies * trips[dim] > maxCopies)
      continue;
    copies *= trips[dim];
    unrolled.insert(unrolled.begin(), dim);
  }
  if (copies * trips[longest] <= maxCopies) {
    // Without a loop: the outermost dimension first, so that inner ones share its loads.
    for (size_t dim : dimensions)
      plan.levels.push_back({dim, true});
    return plan;
  }
  for (size_t dim : dimensions)
    if (dim != longest && !llvm::is_contained(unrolled, dim))
      plan.levels.push_back({dim, false});
  plan.levels.push_back({longest, false});
  for (size_t dim : unrolled)
    plan.levels.push_back({dim, true});
  return plan;
}

static void emitLevel(Walker &walker, ArrayRef<LoopPlan::Level> levels, ArrayRef<int64_t> firsts,
                      ArrayRef<int64_t> trips, ArrayRef<int64_t> steps, bool independent,
                      llvm::function_ref<void()> body) {
  if (levels.empty())
    return body();
  auto [dim, unrolled] = levels.front();
  auto inside = [&, dim = dim](Value index) {
    walker.bind(dim, index, [&] {
      emitLevel(walker, levels.drop_front(), firsts, trips, steps, independent, body);
    });
  };
  int64_t end = firsts[dim] + trips[dim] * steps[dim];
  if (!unrolled)
    return walker.e.loop(firsts[dim], end, steps[dim], inside, independent);
  for (int64_t index = firsts[dim]; index < end; index += steps[dim])
    inside(walker.e.constant(index));
}

void codegen::emitLoops(Walker &walker, const LoopPlan &plan, ArrayRef<int64_t> firsts,
                        ArrayRef<int64_t> trips, ArrayRef<int64_t> steps, bool independent,
                        llvm::function_ref<void()> body) {
  emitLevel(walker, plan.levels, firsts, trips, steps, independent, body);
}
