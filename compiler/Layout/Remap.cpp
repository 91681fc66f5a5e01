// Rewrites one operation to its operands and results as they lie.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Remap.h"

#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

/// The elements of `value`, a tensor in row-major order, in another order.
DenseElementsAttr permuted(DenseElementsAttr value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType lying = physicalType(type, order);
  if (value.isSplat())
    return value.resizeSplat(lying);
  // The step in the source of each dimension of the result.
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank), steps;
  int64_t stride = 1;
  for (int64_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= type.getDimSize(d);
  }
  steps = inOrder<int64_t>(strides, order);
  auto visit = [&](auto take) {
    SmallVector<int64_t> index(rank);
    for (int64_t i = 0, from = 0, n = type.getNumElements(); i < n; ++i) {
      take(from);
      for (int64_t d = rank; d-- > 0;) {
        from += steps[d];
        if (++index[d] < lying.getDimSize(d))
          break;
        from -= steps[d] * index[d];
        index[d] = 0;
      }
    }
  };
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> source(value.getValues<bool>()), result;
    visit([&](int64_t from) { result.push_back(source[from]); });
    return DenseElementsAttr::get(lying, result);
  }
  ArrayRef<char> raw = value.getRawData();
  int64_t size = type.getElementTypeBitWidth() / 8;
  std::vector<char> result;
  result.reserve(raw.size());
  visit([&](int64_t from) {
    result.insert(result.end(), raw.begin() + from * size, raw.begin() + (from + 1) * size);
  });
  return DenseElementsAttr::getFromRawBuffer(lying, result);
}

void remapBroadcast(BroadcastInDimOp op, const OperandOrders &orders, RankedTensorType type) {
  Order place = inverse(orders.result);
  SmallVector<int64_t> dims;
  for (int64_t d : orders.operands[0])
    dims.push_back(place[op.getBroadcastDimensions()[d]]);
  if (!llvm::is_sorted(dims)) {
    // Only dimensions of size 1 lie elsewhere than in the result.
    SmallVector<int64_t> shape, kept;
    for (auto [d, target] : llvm::zip_equal(orders.operands[0], dims))
      if (type.getDimSize(d) != 1) {
        shape.push_back(type.getDimSize(d));
        kept.push_back(target);
      }
    OpBuilder builder(op);
    op.getOperandMutable().assign(
        ReshapeOp::create(builder, op.getLoc(), type.clone(shape), op.getOperand()));
    dims = kept;
  }
  op.setBroadcastDimensions(dims);
}

/// Dimensions of one operand by their places.
SmallVector<int64_t> placesOf(ArrayRef<int64_t> dims, const Order &place) {
  return llvm::map_to_vector(dims, [&](int64_t d) { return place[d]; });
}

void remapReduction(ReduceOp op, const Order &place) {
  op.setDimensions(placesOf(op.getDimensions(), place));
  auto order = op->getAttrOfType<kernel::OrderAttr>(kernel::kOrderAttr);
  if (!order)
    return;
  auto placeOf = [&](int64_t dim) { return dim < 0 ? dim : place[dim]; };
  SmallVector<int64_t> rows = placesOf(order.getRows(), place);
  MLIRContext *context = op.getContext();
  DenseI64ArrayAttr chunked = order.getChunked();
  if (chunked)
    chunked = DenseI64ArrayAttr::get(context, placesOf(chunked, place));
  op->setAttr(kernel::kOrderAttr,
              kernel::OrderAttr::get(context, DenseI64ArrayAttr::get(context, rows),
                                     placeOf(order.getTree()), order.getPartials(), chunked,
                                     order.getChunk(), order.getAny()));
}

void remapContraction(DotGeneralOp op, const OperandOrders &orders) {
  Order lhs = inverse(orders.operands[0]), rhs = inverse(orders.operands[1]);
  SmallVector<int64_t> lhsBatch = placesOf(op.getLhsBatchingDims(), lhs),
                       rhsBatch = placesOf(op.getRhsBatchingDims(), rhs),
                       lhsContracting = placesOf(op.getLhsContractingDims(), lhs),
                       rhsContracting = placesOf(op.getRhsContractingDims(), rhs);
  MLIRContext *context = op.getContext();
  if (!orders.exchanged) {
    op.setDotDimensionNumbersAttr(
        DotDimensionNumbersAttr::get(context, lhsBatch, rhsBatch, lhsContracting, rhsContracting));
    return;
  }
  op.setDotDimensionNumbersAttr(
      DotDimensionNumbersAttr::get(context, rhsBatch, lhsBatch, rhsContracting, lhsContracting));
  Value first = op.getLhs(), second = op.getRhs();
  op.getLhsMutable().assign(second);
  op.getRhsMutable().assign(first);
  op.setPrecisionConfigAttr(exchanged(op.getPrecisionConfigAttr()));
  op.setAlgorithmAttr(exchanged(op.getAlgorithmAttr()));
  op->setAttr(kernel::kExchangedAttr, UnitAttr::get(context));
}

} // namespace

void remap(Operation *op, const OperandOrders &orders, ArrayRef<RankedTensorType> operandTypes) {
  const Order &order = orders.result;
  Order place = inverse(order);
  auto ordered = [&](ArrayRef<int64_t> values) { return inOrder(values, order); };
  auto orderIndices = [&](MutableOperandRange indices) {
    SmallVector<Value> values;
    for (int64_t d : order)
      values.push_back(indices[d].get());
    indices.assign(values);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<ConstantOp>([&](auto op) {
        op.setValueAttr(permuted(cast<DenseElementsAttr>(op.getValue()), order));
      })
      .Case<IotaOp>([&](auto op) { op.setIotaDimension(place[op.getIotaDimension()]); })
      .Case<BroadcastInDimOp>([&](auto op) { remapBroadcast(op, orders, operandTypes.front()); })
      .Case<TransposeOp>([&](auto op) { op.setPermutation(rowMajor(order.size())); })
      .Case<SliceOp>([&](auto op) {
        op.setStartIndices(ordered(op.getStartIndices()));
        op.setLimitIndices(ordered(op.getLimitIndices()));
        op.setStrides(ordered(op.getStrides()));
      })
      .Case<PadOp>([&](auto op) {
        op.setEdgePaddingLow(ordered(op.getEdgePaddingLow()));
        op.setEdgePaddingHigh(ordered(op.getEdgePaddingHigh()));
        op.setInteriorPadding(ordered(op.getInteriorPadding()));
      })
      .Case<ReverseOp>([&](auto op) { op.setDimensions(placesOf(op.getDimensions(), place)); })
      .Case<ConcatenateOp>([&](auto op) { op.setDimension(place[op.getDimension()]); })
      .Case<DynamicSliceOp>([&](auto op) {
        op.setSliceSizes(ordered(op.getSliceSizes()));
        orderIndices(op.getStartIndicesMutable());
      })
      .Case<DynamicUpdateSliceOp>([&](auto op) { orderIndices(op.getStartIndicesMutable()); })
      .Case<GatherOp>(
          [&](auto op) { op.setSliceSizes(inOrder(op.getSliceSizes(), orders.operands.front())); })
      .Case<ReduceOp>([&](auto op) { remapReduction(op, inverse(orders.operands.front())); })
      .Case<DotGeneralOp>([&](auto op) { remapContraction(op, orders); });
  for (Value result : op->getResults())
    result.setType(physicalType(cast<RankedTensorType>(result.getType()), order));
}

} // namespace systole
