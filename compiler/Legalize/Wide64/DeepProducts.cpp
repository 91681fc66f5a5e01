// Splits deep contractions of 64-bit integers into sums of several.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Splitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Splits dimension `dim` of all lists into two, the first of which is a batching one.
struct Side {
  Value value;
  int64_t dim;
  SmallVector<int64_t> batch, contracting;

  Side(Value value, ArrayRef<int64_t> batchDims, ArrayRef<int64_t> contractingDims, unsigned which)
      : value(value), dim(contractingDims[which]), batch(batchDims), contracting(contractingDims) {
    for (auto *dims : {&batch, &contracting})
      for (int64_t &other : *dims)
        other += other >= dim ? 1 : 0;
    batch.push_back(dim);
  }

  Value cut(Tensors &t, int64_t parts, int64_t part) const {
    SmallVector<int64_t> shape(shapeOf(value)), none(shape.size(), 0), high = none;
    high[dim] = parts * part - shape[dim];
    Value zero = t.number(typeOf(value).getElementType(), 0);
    Value padded = t.pad(value, zero, none, high, none);
    shape[dim] = parts;
    shape.insert(shape.begin() + dim + 1, part);
    return t.reshape(padded, shape);
  }
};

void split(DotGeneralOp op) {
  if (!isWide(op.getLhs()) || !isWide(op.getRhs()) || !isWide(op.getResult()))
    return;
  int64_t depth = 1;
  unsigned longest = 0;
  ArrayRef<int64_t> dims = op.getLhsContractingDims(), shape = shapeOf(op.getLhs());
  for (auto [i, dim] : llvm::enumerate(dims)) {
    depth *= shape[dim];
    longest = shape[dim] > shape[dims[longest]] ? i : longest;
  }
  if (depth <= kMaxDepth * kMaxParts)
    return;
  int64_t size = shape[dims[longest]], part = kMaxDepth / (depth / size);
  if (part == 0)
    return;
  int64_t parts = llvm::divideCeil(size, part);
  Tensors t(op);
  Side lhs(op.getLhs(), op.getLhsBatchingDims(), dims, longest);
  Side rhs(op.getRhs(), op.getRhsBatchingDims(), op.getRhsContractingDims(), longest);
  RankedTensorType type = typeOf(op.getResult());
  SmallVector<int64_t> sums(type.getShape());
  int64_t batch = op.getLhsBatchingDims().size();
  sums.insert(sums.begin() + batch, parts);
  auto numbers = DotDimensionNumbersAttr::get(op.getContext(), lhs.batch, rhs.batch,
                                              lhs.contracting, rhs.contracting);
  Value products = DotGeneralOp::create(t.b, t.loc, type.clone(sums), lhs.cut(t, parts, part),
                                        rhs.cut(t, parts, part), numbers, nullptr, nullptr);
  Value zero = t.number(type.getElementType(), 0);
  op.replaceAllUsesWith(t.reduce<AddOp>(products, zero, {batch}));
  op.erase();
}

} // namespace

void splitDeepProducts(Operation *root) {
  root->walk([](DotGeneralOp op) { split(op); });
}

} // namespace systole::wide64
