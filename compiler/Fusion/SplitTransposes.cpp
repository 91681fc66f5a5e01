// Makes transpositions of many dimensions several of few.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "dialects/StableHLO/StableHLO.h"

#include <numeric>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITTRANSPOSES
#include "compiler/Fusion/Passes.h.inc"

using namespace stablehlo;

namespace {

/// Dimensions of the operand that stay together, as one, by the first of them.
struct Run {
  int64_t first, size;
};

/// The runs in the result's order, without dimensions of size 1.
SmallVector<Run> runsOf(TransposeOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getOperand().getType()).getShape();
  SmallVector<Run> runs;
  int64_t next = -1;
  for (int64_t dim : op.getPermutation()) {
    if (shape[dim] == 1)
      continue;
    if (dim == next)
      runs.back().size *= shape[dim];
    else
      runs.push_back({dim, shape[dim]});
    for (next = dim + 1; next < static_cast<int64_t>(shape.size()) && shape[next] == 1;)
      ++next;
  }
  return runs;
}

int64_t product(ArrayRef<Run> runs) {
  return std::accumulate(runs.begin(), runs.end(), int64_t(1),
                         [](int64_t size, const Run &run) { return size * run.size; });
}

/// Brings one run after the other to its place, with those that follow it already: each time two
/// neighbours of four dimensions are exchanged.
Value exchangeRuns(OpBuilder &b, TransposeOp op, ArrayRef<Run> wanted) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  SmallVector<Run> runs(wanted);
  llvm::sort(runs, [](const Run &x, const Run &y) { return x.first < y.first; });
  Value value = op.getOperand();
  for (size_t place = 0; place < runs.size(); ++place) {
    auto *from =
        llvm::find_if(runs, [&](const Run &run) { return run.first == wanted[place].first; });
    auto *begin = runs.begin() + place, *to = from;
    for (size_t i = place; to != runs.end() && i < wanted.size() && to->first == wanted[i].first;
         ++i)
      ++to;
    if (from == begin)
      continue;
    const int64_t before = product({runs.begin(), begin}), left = product({begin, from}),
                  right = product({from, to}), behind = product({to, runs.end()});
    const int64_t sizes[] = {before, left, right, behind},
                  swapped[] = {before, right, left, behind};
    value = ReshapeOp::create(b, loc, type.clone(ArrayRef(sizes)), value);
    value = TransposeOp::create(b, loc, type.clone(ArrayRef(swapped)), value,
                                ArrayRef<int64_t>{0, 2, 1, 3});
    std::rotate(begin, from, to);
  }
  return ReshapeOp::create(b, loc, type, value);
}

struct SplitTransposes : impl::SplitTransposesBase<SplitTransposes> {
  using SplitTransposesBase::SplitTransposesBase;

  void rewrite() override {
    getOperation().walk([&](TransposeOp op) {
      SmallVector<Run> runs = runsOf(op);
      if (static_cast<int64_t>(runs.size()) <= mostDimensions || op.getType().getNumElements() == 0)
        return;
      OpBuilder b(op);
      op.replaceAllUsesWith(exchangeRuns(b, op, runs));
      op.erase();
    });
  }
};

} // namespace
} // namespace systole
