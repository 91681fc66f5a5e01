// Lowers kernel.take: the cross-lane unit gathers lanes of each row of a table.
// See docs/decisions/gathers-scatters-and-sorts.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Codegen.h"
#include "dialects/Kernel/LookupShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

class TakeLowering {
public:
  TakeLowering(kernel::TakeOp op, const BufferRef &table, const BufferRef &indices,
               const BufferRef &out, Emitter &e)
      : table(table), indices(indices), out(out), e(e),
        shape(table.type.getShape(), op.getIndices().getType().getShape()) {}

  void lower();

private:
  /// The elements for eight rows of indices: of `count` batches from `batch` on, or of so many
  /// groups of lanes from `group` on.
  void emitVector(Value batch, Value group, int64_t count);
  /// All vectors along the batches or groups that a vector is along.
  void emitAlong(Value other);

  const BufferRef &table, &indices, &out;
  Emitter &e;
  const LookupShape shape;
};

} // namespace

void TakeLowering::emitVector(Value batch, Value group, int64_t count) {
  Value mask = count < kSublanes ? e.sublaneMask(nullptr, e.constant(count)) : nullptr;
  Value row = e.add(e.mul(batch, shape.groups), group);
  Value stride = e.constant(shape.acrossBatches ? shape.groups : 1);
  Value first = e.mul(batch, shape.tableRows);
  // Rows of one batch are the same for all sublanes.
  Value tableStride = e.constant(shape.acrossBatches ? shape.tableRows : 0);
  Value index = e.load(indices, row, stride, mask);
  Value wanted =
      core::VShrOp::create(e.b, e.loc, e.vectorType(), index, e.constant(llvm::Log2_64(kLanes)));
  auto take = [&](Value number, Value others) {
    Value elements = e.load(table, e.add(first, number), tableStride, mask);
    Value taken = e.xlu<core::XluGatherOp>(elements, index);
    Value isHere = core::VEqOp::create(e.b, e.loc, e.maskType(), wanted, number);
    return core::VSelectOp::create(e.b, e.loc, e.vectorType(), isHere, taken, others);
  };
  Value found = e.splatBits(0);
  if (shape.tableRows <= kMostUnrolledTableRows)
    for (int64_t number = 0; number < shape.tableRows; ++number)
      found = take(e.constant(number), found);
  else
    found = e.loop(0, shape.tableRows, 1, ValueRange(found), [&](Value number, ValueRange carried) {
               return SmallVector<Value>{take(number, carried.front())};
             }).front();
  e.store(found, out, row, stride, mask);
}

void TakeLowering::emitAlong(Value other) {
  int64_t extent = shape.acrossBatches ? shape.batches : shape.groups;
  auto at = [&](Value place, int64_t count) {
    shape.acrossBatches ? emitVector(place, other, count) : emitVector(other, place, count);
  };
  e.loop(
      0, extent / kSublanes, 1, [&](Value number) { at(e.mul(number, kSublanes), kSublanes); },
      /*independent=*/true);
  if (int64_t rest = extent % kSublanes)
    at(e.constant(extent - rest), rest);
}

void TakeLowering::lower() {
  e.loop(
      0, shape.acrossBatches ? shape.groups : shape.batches, 1,
      [&](Value other) { emitAlong(other); }, /*independent=*/true);
}

void codegen::lowerTake(kernel::TakeOp op, const BufferRef &table, const BufferRef &indices,
                        const BufferRef &out, Emitter &e) {
  TakeLowering(op, table, indices, out, e).lower();
}
