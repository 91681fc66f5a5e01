// Computes products of all trips of a loop at once, in front of it or behind it.
// See docs/decisions/program-loops.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/Observers.h"
#include "compiler/Tensor/Stacks.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_BATCHLOOPPRODUCTS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// A product of one operand that changes with the trip and one that does not.
struct LoopProduct {
  DotGeneralOp dot;
  unsigned varying; ///< number of the operand that changes

  static std::optional<LoopProduct> of(Operation *op, const CountedLoop &loop) {
    auto dot = dyn_cast_or_null<DotGeneralOp>(op);
    if (!dot || dot->getBlock() != &loop.body() ||
        loop.isInvariant(dot.getLhs()) == loop.isInvariant(dot.getRhs()))
      return std::nullopt;
    return LoopProduct{dot, loop.isInvariant(dot.getLhs()) ? 1u : 0u};
  }

  Value operand() { return dot->getOperand(varying); }
  Value weights() { return dot->getOperand(1 - varying); }

  /// The dimension of the batched result that numbers the trips.
  int64_t tripDim() {
    int64_t batch = dot.getLhsBatchingDims().size();
    return varying ? batch + static_cast<int64_t>(dot.getLhsFreeDims().size()) : batch;
  }

  /// The product of `stack`, [trips, shape of the operand], with the weights.
  Value batched(OpBuilder &b, Value stack) {
    auto moved = [&](ArrayRef<int64_t> dims, unsigned number) {
      return llvm::map_to_vector(dims, [&](int64_t d) { return number == varying ? d + 1 : d; });
    };
    auto numbers = DotDimensionNumbersAttr::get(
        b.getContext(), moved(dot.getLhsBatchingDims(), 0), moved(dot.getRhsBatchingDims(), 1),
        moved(dot.getLhsContractingDims(), 0), moved(dot.getRhsContractingDims(), 1));
    SmallVector<int64_t> shape(typeOf(dot).getShape());
    shape.insert(shape.begin() + tripDim(), typeOf(stack).getDimSize(0));
    Value lhs = varying ? weights() : stack, rhs = varying ? stack : weights();
    return DotGeneralOp::create(b, dot.getLoc(), typeOf(dot).clone(shape), lhs, rhs, numbers,
                                dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
  }
};

/// Whether a trip has a product that depends on the trip before.
bool hasRecurrentProduct(const CountedLoop &loop, const Observers &observers) {
  return llvm::any_of(loop.body().getOps<DotGeneralOp>(), [&](DotGeneralOp dot) {
    return !observers.contains(dot) && llvm::any_of(dot->getOperands(), [&](Value operand) {
      return !loop.isInvariant(operand) && !loop.sliceOf(operand);
    });
  });
}

/// Moves products of positions of arrays that there are already in front of the loop.
void moveInFront(const CountedLoop &loop, const Observers &observers) {
  bool isRecurrent = hasRecurrentProduct(loop, observers);
  int64_t bytes = 0;
  for (auto dot : llvm::make_early_inc_range(loop.body().getOps<DotGeneralOp>())) {
    if (observers.contains(dot))
      continue;
    std::optional<LoopProduct> product = LoopProduct::of(dot, loop);
    std::optional<TripSlice> slice = product ? loop.sliceOf(product->operand()) : std::nullopt;
    if (!slice)
      continue;
    int64_t rows = bytesOf(typeOf(dot));
    int64_t operands = bytesOf(typeOf(dot.getLhs())) + bytesOf(typeOf(dot.getRhs()));
    if ((rows > operands && !isRecurrent) || bytes + rows * loop.trips() > kMostStackBytes)
      continue;
    bytes += rows * loop.trips();

    OpBuilder front(loop.op()), inner(dot);
    Value stack = readStack(front, slice->array, slice->dim, shapeOf(product->operand()));
    Value all = product->batched(front, stack);
    SmallVector<int64_t> sizes(shapeOf(all));
    sizes[product->tripDim()] = 1;
    Value zero = ConstantOp::create(
        inner, dot.getLoc(), cast<DenseElementsAttr>(inner.getZeroAttr(typeOf(slice->position))));
    SmallVector<Value> starts(sizes.size(), zero);
    starts[product->tripDim()] = slice->position;
    Value row =
        DynamicSliceOp::create(inner, dot.getLoc(), typeOf(all).clone(sizes), all, starts, sizes);
    dot.replaceAllUsesWith(ReshapeOp::create(inner, dot.getLoc(), typeOf(dot), row).getResult());
    dot.erase();
  }
}

/// Moves products that only become a position of an array behind the loop.
void moveBehind(const CountedLoop &loop, const Observers &observers) {
  struct Moved {
    LoopProduct product;
    unsigned number; ///< of the loop-carried array
    int64_t dim;     ///< of the array, the trips
  };
  SmallVector<Moved> moved;
  Stacks stacks(loop);
  for (unsigned i = 0; i < loop.body().getNumArguments(); ++i) {
    std::optional<TripSlice> stack = loop.stackedIn(i);
    Value row = stack ? stackedRow(loop, i, *stack) : Value();
    std::optional<LoopProduct> product =
        row && observers.hasOneUse(row) && observers.userOf(row)->hasOneUse()
            ? LoopProduct::of(row.getDefiningOp(), loop)
            : std::nullopt;
    if (product && stacks.request({product->operand()}, bytesOf(typeOf(row)), &*stack))
      moved.push_back({*product, i, stack->dim});
  }
  if (moved.empty())
    return;
  WhileOp op = stacks.build();
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  for (Moved &move : moved) {
    Value all = move.product.batched(b, stacks.read(b, move.product.operand()));
    op.getResult(move.number).replaceAllUsesWith(moveDim(b, all, move.product.tripDim(), move.dim));
    Block &body = op.getBody().front();
    body.getTerminator()->setOperand(move.number, body.getArgument(move.number));
  }
}

struct BatchLoopProducts : impl::BatchLoopProductsBase<BatchLoopProducts> {
  void rewrite() override {
    const Observers observers(getOperation());
    getOperation().walk<WalkOrder::PostOrder>([&](WhileOp op) {
      std::optional<CountedLoop> loop = CountedLoop::of(op);
      if (!loop || loop->trips() < 2)
        return;
      moveInFront(*loop, observers);
      moveBehind(*loop, observers);
    });
  }
};

} // namespace
} // namespace systole
