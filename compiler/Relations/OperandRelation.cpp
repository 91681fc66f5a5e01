// Which elements of its operands an element of an operation's result is computed from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/OperandRelation.h"

#include "compiler/Relations/RelationBuilder.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {

RelationBuilder::RelationBuilder(Operation *op) : context(op->getContext()) {
  for (int64_t extent : shapeOf(op->getResult(0)))
    relation.iterators.push_back({IteratorKind::Result, extent});
  for (Value operand : op->getOperands()) {
    OperandIndices &indices = relation.operands.emplace_back();
    indices.dims.assign(typeOf(operand).getRank(), {constant(0)});
  }
}

AffineExpr RelationBuilder::add(IteratorKind kind, int64_t extent) {
  relation.iterators.push_back({kind, extent});
  return iterator(relation.iterators.size() - 1);
}

void RelationBuilder::setIdentity(unsigned operand) {
  for (auto [d, dim] : llvm::enumerate(relation.operands[operand].dims))
    dim.expr = iterator(d);
}

namespace {

using namespace stablehlo;

/// Operands of rank 0 are read by every element.
void relateElementwise(Operation *op, RelationBuilder &b) {
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    b.setIdentity(operand);
}

/// Dimensions of size 1 are broadcast.
void relateBroadcast(BroadcastInDimOp op, RelationBuilder &b) {
  for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions()))
    if (typeOf(op.getOperand()).getDimSize(d) != 1)
      b.at(0, d).expr = b.iterator(target);
}

void relateTranspose(TransposeOp op, RelationBuilder &b) {
  for (auto [d, source] : llvm::enumerate(op.getPermutation()))
    b.at(0, source).expr = b.iterator(d);
}

void relateReverse(ReverseOp op, RelationBuilder &b) {
  b.setIdentity(0);
  for (int64_t d : op.getDimensions())
    b.at(0, d).expr = b.constant(typeOf(op).getDimSize(d) - 1) - b.iterator(d);
}

void relateSlice(SliceOp op, RelationBuilder &b) {
  for (auto [d, start, stride] : llvm::enumerate(op.getStartIndices(), op.getStrides()))
    b.at(0, d).expr = b.iterator(d) * stride + start;
}

void relatePad(PadOp op, RelationBuilder &b) {
  for (auto [d, low, interior] : llvm::enumerate(op.getEdgePaddingLow(), op.getInteriorPadding())) {
    b.at(0, d).expr = b.iterator(d) - low;
    b.at(0, d).dilation = interior + 1;
  }
}

void relateConcatenate(ConcatenateOp op, RelationBuilder &b) {
  int64_t dim = op.getDimension(), begin = 0;
  for (auto [number, operand] : llvm::enumerate(op.getInputs())) {
    b.setIdentity(number);
    b.at(number, dim).expr = b.iterator(dim) - begin;
    begin += typeOf(operand).getDimSize(dim);
  }
}

void relateReduce(ReduceOp op, RelationBuilder &b) {
  int64_t kept = 0;
  for (auto [d, extent] : llvm::enumerate(shapeOf(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d));
    AffineExpr index = isReduced ? b.add(IteratorKind::Reduced, extent) : b.iterator(kept++);
    for (unsigned input = 0; input < op.getInputs().size(); ++input)
      b.at(input, d).expr = index;
  }
}

/// An element comes from anywhere in its table.
void relateLookup(kernel::LookupOp op, RelationBuilder &b) {
  b.setIdentity(0);
  b.setIdentity(1);
  b.at(0, 1) = {b.constant(0), IndexRelation::Whole};
}

/// An element comes from anywhere in its column.
void relateSort(kernel::ColumnSortOp op, RelationBuilder &b) {
  for (unsigned input = 0; input < op.getInputs().size(); ++input) {
    b.setIdentity(input);
    b.at(input, 1) = {b.constant(0), IndexRelation::Whole};
    if (op.getChunks() > 1)
      b.at(input, 2) = {b.constant(0), IndexRelation::Whole};
  }
}

} // namespace

std::optional<OperandRelation> relationOf(Operation *op) {
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  RelationBuilder b(op);
  bool isKnown = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case<ConstantOp, IotaOp>([](auto) { return true; })
                     .Case<BroadcastInDimOp>([&](auto op) { return relateBroadcast(op, b), true; })
                     .Case<ReshapeOp>([&](auto op) { return relateReshape(op, b), true; })
                     .Case<TransposeOp>([&](auto op) { return relateTranspose(op, b), true; })
                     .Case<ReverseOp>([&](auto op) { return relateReverse(op, b), true; })
                     .Case<SliceOp>([&](auto op) { return relateSlice(op, b), true; })
                     .Case<PadOp>([&](auto op) { return relatePad(op, b), true; })
                     .Case<ConcatenateOp>([&](auto op) { return relateConcatenate(op, b), true; })
                     .Case<ReduceOp>([&](auto op) { return relateReduce(op, b), true; })
                     .Case<kernel::LookupOp>([&](auto op) { return relateLookup(op, b), true; })
                     .Case<kernel::ColumnSortOp>([&](auto op) { return relateSort(op, b), true; })
                     .Case<DotGeneralOp>([&](auto op) { return relateDot(op, b), true; })
                     .Case<ConvolutionOp>([&](auto op) { return relateConvolution(op, b), true; })
                     .Case<DynamicSliceOp>([&](auto op) { return relateDynamicSlice(op, b), true; })
                     .Case<DynamicUpdateSliceOp>(
                         [&](auto op) { return relateDynamicUpdateSlice(op, b), true; })
                     .Case<GatherOp>([&](auto op) { return relateGather(op, b), true; })
                     .Case<ScatterOp>([&](auto op) { return relateScatter(op, b), true; })
                     .Default([&](Operation *op) {
                       bool isElementwise = kindOf(op) == OpKind::Elementwise;
                       if (isElementwise)
                         relateElementwise(op, b);
                       return isElementwise;
                     });
  return isKnown ? std::optional(b.take()) : std::nullopt;
}

} // namespace systole
