// Sums over rows and a tree as two sums, of which the second one is small.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITSUMS
#include "compiler/Fusion/Passes.h.inc"

using stablehlo::ReduceOp;

namespace {

/// Whether `op` adds up elements of its rows, eight at least, for each index of a tree, along which
/// a kernel can be divided better than along the lanes.
bool isTreeOfRows(ReduceOp op) {
  auto order = op->getAttrOfType<kernel::OrderAttr>(kernel::kOrderAttr);
  if (!order || order.getAny() || order.getTree() < 0 || !order.chunkedDims().empty() ||
      op->getNumResults() != 1)
    return false;
  RankedTensorType type = typeOf(op.getInputs().front());
  if (order.getTree() + 1 == type.getRank())
    return false;
  Block &body = op.getBody().front();
  int64_t rows = 1;
  for (int64_t dim : order.getRows().asArrayRef())
    rows *= type.getDimSize(dim);
  return rows >= kSublanes && type.getElementType().isF32() &&
         llvm::hasNItems(body.without_terminator(), 1) && isa<stablehlo::AddOp>(body.front());
}

/// The sum of `input` over `dims` with the reducer of `op`.
Value sumOver(OpBuilder &b, ReduceOp op, Value input, Value init, ArrayRef<int64_t> dims,
              kernel::OrderAttr order) {
  RankedTensorType type = typeOf(input);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  auto sum = ReduceOp::create(b, op.getLoc(), TypeRange(type.clone(shape)), input, init,
                              b.getDenseI64ArrayAttr(dims));
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  sum->setAttr(kernel::kOrderAttr, order);
  IRMapping mapping;
  op.getBody().cloneInto(&sum.getBody(), mapping);
  return sum.getResult(0);
}

void split(ReduceOp op) {
  auto order = op->getAttrOfType<kernel::OrderAttr>(kernel::kOrderAttr);
  Value input = op.getInputs().front();
  SmallVector<int64_t> rows(op.getDimensions());
  llvm::erase(rows, order.getTree());
  OpBuilder b(op);
  auto orderOf = [&](ArrayRef<int64_t> dims, int64_t tree) {
    return kernel::OrderAttr::get(b.getContext(), b.getDenseI64ArrayAttr(dims), tree,
                                  order.getPartials(), {}, {}, /*any=*/false);
  };
  // The sum of -0 and any number is that number.
  Type element = typeOf(input).getElementType();
  Value none = stablehlo::ConstantOp::create(
      b, op.getLoc(), DenseElementsAttr::get(RankedTensorType::get({}, element), APFloat(-0.0f)));
  Value ofRows =
      sumOver(b, op, input, none, rows, orderOf(order.getRows().asArrayRef(), /*tree=*/-1));
  int64_t tree =
      order.getTree() - llvm::count_if(rows, [&](int64_t dim) { return dim < order.getTree(); });
  op.getResult(0).replaceAllUsesWith(
      sumOver(b, op, ofRows, op.getInitValues().front(), {tree}, orderOf({}, tree)));
  op->erase();
}

struct SplitSums : impl::SplitSumsBase<SplitSums> {
  void rewrite() override {
    SmallVector<ReduceOp> sums;
    getOperation()->walk([&](ReduceOp op) {
      if (isTreeOfRows(op))
        sums.push_back(op);
    });
    llvm::for_each(sums, split);
  }
};

} // namespace
} // namespace systole
