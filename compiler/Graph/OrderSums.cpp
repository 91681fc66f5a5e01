// Sets the order of every reduction from its shape.
// See docs/decisions/order-and-precision-of-sums.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ORDERSUMS
#include "compiler/Graph/Passes.h.inc"

namespace {

using stablehlo::ReduceOp;

/// The order in which the dimensions of a tensor of `shape` lie, from major to minor.
SmallVector<int64_t> lyingOrder(ArrayRef<int64_t> shape) {
  return llvm::to_vector(llvm::reverse(entryOrder({shape.data(), shape.size()})));
}

/// A reduction of `input` over `dims` with the combiner of `op`.
ReduceOp reduceLike(ReduceOp op, OpBuilder &b, Value input, Value init, ArrayRef<int64_t> dims,
                    RankedTensorType type) {
  auto reduce = ReduceOp::create(b, op.getLoc(), TypeRange(type), input, init, dims);
  reduce->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getBody().cloneInto(&reduce.getBody(), mapping);
  return reduce;
}

/// Divides a reduction over a dimension of which several positions share a row of 128 lanes: first
/// over the rows, then over the positions in a row. Whether they share it is left to layouts.
void divideAtRows(ReduceOp op) {
  Value input = op.getInputs().front();
  ArrayRef<int64_t> shape = shapeOf(input), dims = op.getDimensions();
  TypedAttr identity = identityOf(op);
  SmallVector<int64_t> layout = lyingOrder(shape), lying;
  for (int64_t d : layout)
    lying.push_back(shape[d]);
  int64_t tile = rowTile({lying.data(), lying.size()});
  if (tile == 1 || !identity)
    return;
  int64_t lanes = layout.back(), split = layout[layout.size() - 2];
  if (llvm::is_contained(dims, lanes) || !llvm::is_contained(dims, split))
    return;
  // Dimension `split` becomes two: rows, and positions in a row.
  SmallVector<int64_t> divided(shape), rows, dividedLayout;
  divided[split] /= tile;
  divided.insert(divided.begin() + split + 1, tile);
  auto renumbered = [&](int64_t d) { return d + (d > split ? 1 : 0); };
  for (int64_t d : dims)
    rows.push_back(renumbered(d));
  for (int64_t d : layout) {
    dividedLayout.push_back(renumbered(d));
    if (d == split)
      dividedLayout.push_back(split + 1);
  }
  SmallVector<int64_t> kept;
  int64_t place = 0;
  for (auto [d, size] : llvm::enumerate(divided))
    if (!llvm::is_contained(rows, static_cast<int64_t>(d))) {
      place += static_cast<int64_t>(d) <= split ? 1 : 0;
      kept.push_back(size);
    }
  OpBuilder b(op);
  RankedTensorType type = typeOf(input);
  Value pieces = stablehlo::ReshapeOp::create(b, op.getLoc(), type.clone(ArrayRef(divided)), input);
  Value none = stablehlo::ConstantOp::create(b, op.getLoc(), cast<ElementsAttr>(identity));
  ReduceOp ofRows = reduceLike(op, b, pieces, none, rows, type.clone(ArrayRef(kept)));
  ofRows->setAttr(kernel::kOrderAttr, orderIn(ofRows, dividedLayout));
  ReduceOp ofPositions = reduceLike(op, b, ofRows.getResult(0), op.getInitValues().front(), {place},
                                    typeOf(op.getResult(0)));
  op.replaceAllUsesWith(ofPositions.getResults());
  ofPositions->setAttr(kernel::kOrderAttr,
                       orderIn(ofPositions, lyingOrder(shapeOf(ofRows.getResult(0)))));
  op.erase();
}

struct OrderSums : impl::OrderSumsBase<OrderSums> {
  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    // One whose order the program states stays.
    auto forEach = [&](auto visit) {
      getOperation().walk([&](ReduceOp op) {
        if (!op->hasAttr(kernel::kOrderAttr) && typeOf(op.getInputs().front()).getRank() > 0)
          visit(op);
      });
    };
    forEach([](ReduceOp op) { divideAtRows(op); });
    forEach([](ReduceOp op) {
      op->setAttr(kernel::kOrderAttr, orderIn(op, lyingOrder(shapeOf(op.getInputs().front()))));
    });
  }
};

} // namespace
} // namespace systole
