// Sums and products of narrow floating-point numbers, accumulated in f32.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Reducers.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_WIDENSUMS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Whether rounding after each of a reducer's operations loses more than rounding once.
bool isRounded(Operation *combiner) {
  Type element = typeOf(combiner->getResult(0)).getElementType();
  return isa<AddOp, MulOp>(combiner) && (element.isBF16() || element.isF16());
}

/// Rewrites `op`, a reduction or one of windows with inputs, as many initial values, and a reducer.
void widen(Operation *op) {
  Block &body = op->getRegion(0).front();
  SmallVector<Operation *, 2> combiners = combinersOf(body);
  if (llvm::none_of(combiners, isRounded))
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  size_t count = combiners.size();
  auto wide = [&](Type type) { return cast<RankedTensorType>(type).clone(b.getF32Type()); };
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> types(op->getResultTypes());
  auto region = std::make_unique<Region>();
  Block &wideBody = region->emplaceBlock();
  for (BlockArgument argument : body.getArguments()) {
    size_t number = argument.getArgNumber();
    bool isWide = isRounded(combiners[number % count]);
    wideBody.addArgument(isWide ? wide(argument.getType()) : argument.getType(), argument.getLoc());
    if (isWide)
      operands[number] =
          ConvertOp::create(b, loc, wide(operands[number].getType()), operands[number]);
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&wideBody);
    IRMapping mapping;
    mapping.map(body.getArguments(), wideBody.getArguments());
    SmallVector<Value> results;
    for (auto [number, combiner] : llvm::enumerate(combiners)) {
      Value result = b.clone(*combiner, mapping)->getResult(0);
      result.setType(wideBody.getArgument(number).getType());
      results.push_back(result);
      if (isRounded(combiner))
        types[number] = wide(types[number]);
    }
    ReturnOp::create(b, body.getTerminator()->getLoc(), results);
  }
  OperationState state(loc, op->getName(), operands, types, op->getAttrs());
  state.addRegion(std::move(region));
  Operation *sums = b.create(state);
  for (auto [old, sum] : llvm::zip_equal(op->getResults(), sums->getResults())) {
    Value result = sum;
    if (old.getType() != sum.getType())
      result = ConvertOp::create(b, loc, old.getType(), sum);
    old.replaceAllUsesWith(result);
  }
  op->erase();
}

struct WidenSums : impl::WidenSumsBase<WidenSums> {
  void rewrite() override {
    SmallVector<Operation *> reductions;
    getOperation().walk([&](Operation *op) {
      if (isa<ReduceOp, ReduceWindowOp>(op))
        reductions.push_back(op);
    });
    llvm::for_each(reductions, widen);
  }
};

} // namespace
} // namespace systole
