// Decomposes operations into others, whatever their element type.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"
#include "compiler/Legalize/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_DECOMPOSE
#include "compiler/Legalize/Passes.h.inc"

namespace decomposition {

using namespace stablehlo;

Value zeros(Tensors &t, RankedTensorType type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType()))
    return UniformQuantizeOp::create(t.b, t.loc, type,
                                     zeros(t, type.clone(quantized.getExpressedType())));
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return t.number(type.getElementType(), 0, type.getShape());
  APFloat zero = APFloat::getZero(cast<FloatType>(complex.getElementType()).getFloatSemantics());
  return ConstantOp::create(t.b, t.loc,
                            DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero)));
}

Value sliceAt(Tensors &t, Value value, int64_t dim, Value index) {
  SmallVector<int64_t> sizes(shapeOf(value));
  SmallVector<Value> starts(sizes.size(), t.number(typeOf(index).getElementType(), 0));
  sizes[dim] = 1;
  starts[dim] = index;
  Value slice = DynamicSliceOp::create(t.b, t.loc, value, starts, sizes);
  sizes.erase(sizes.begin() + dim);
  return t.reshape(slice, sizes);
}

Value decomposeBroadcast(BroadcastOp op) {
  Tensors t(op);
  auto added = static_cast<int64_t>(op.getBroadcastSizes().size());
  auto dims = llvm::to_vector(llvm::seq(added, typeOf(op.getResult()).getRank()));
  return t.spread(op.getOperand(), shapeOf(op.getResult()), dims);
}

Value decomposeIndexSelect(TorchIndexSelectOp op) {
  Tensors t(op);
  int64_t dim = op.firstIndexDim(), batch = op.batchRank();
  int64_t indexRank = op.getIndex().getType().getRank();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  SmallVector<int64_t> sizes(shape), offsets;
  for (int64_t d = 0; d < batch; ++d)
    sizes[d] = 1;
  sizes[dim] = std::min<int64_t>(shape[dim], 1);
  // The operand's other dimensions, around those of the index.
  for (int64_t d = batch; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != dim)
      offsets.push_back(d < dim ? d : d - 1 + indexRank - batch);
  auto batches = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  auto numbers = GatherDimensionNumbersAttr::get(op.getContext(), offsets, {dim}, batches, batches,
                                                 {dim}, indexRank);
  return GatherOp::create(t.b, t.loc, op.getType(), op.getOperand(), op.getIndex(), numbers, sizes,
                          /*indices_are_sorted=*/false);
}

namespace {

Value decompose(Operation *op, RandomNumbers &random) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](DotOp op) { return decomposeDot(op); })
      .Case([](DotGeneralOp op) { return decomposeAlgorithm(op); })
      .Case<EinsumOp, UnaryEinsumOp>(
          [](auto op) { return decomposeEinsum(op, op.getEinsumConfig()); })
      .Case([](BroadcastOp op) { return decomposeBroadcast(op); })
      .Case([](TorchIndexSelectOp op) { return decomposeIndexSelect(op); })
      .Case([&](RngOp op) { return random.decompose(op); })
      .Case([](chlo::RaggedDotOp op) { return decomposeRaggedDot(op); })
      .Case([](chlo::ConstantOp op) {
        OpBuilder b(op);
        return ConstantOp::create(b, op.getLoc(), op.getValue());
      })
      .Default([](Operation *) { return Value(); });
}

/// Converts what a reduction combines to the wider elements that its body computes with.
void promoteOperands(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<ReduceOp, ReduceWindowOp, ScatterOp>(op))
      return;
    Tensors t(op);
    const unsigned count = op->getNumResults();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      if (isa<ScatterOp>(op)) {
        if (number == count)
          continue; // the indices
        number -= number > count;
      }
      Type element = typeOf(op->getResult(number % count)).getElementType();
      if (!isa<quant::QuantizedType>(element))
        operand.set(t.convert(operand.get(), element));
    }
  });
}

/// First of all: random numbers in the body of a scan depend on the trip of its loop.
void decomposeScans(Operation *root) {
  root->walk([](chlo::ScanOp op) {
    op.replaceAllUsesWith(decomposeScan(op));
    op.erase();
  });
}

} // namespace
} // namespace decomposition

namespace {

struct Decompose : impl::DecomposeBase<Decompose> {
  void rewrite() override {
    decomposition::decomposeScans(getOperation());
    decomposition::decomposeBranches(getOperation());
    decomposition::promoteOperands(getOperation());
    SmallVector<Operation *> ops;
    // None with regions is decomposed; loops are replaced where the random numbers in them count
    // trips.
    getOperation()->walk([&](Operation *op) {
      if (op->getNumRegions() == 0)
        ops.push_back(op);
    });
    decomposition::RandomNumbers random;
    for (Operation *op : ops)
      if (Value result = decomposition::decompose(op, random)) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
    decomposition::decomposeTensorsInBodies(getOperation());
  }
};

} // namespace
} // namespace systole
