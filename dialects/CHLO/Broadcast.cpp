// The CHLO operations that broadcast their operands to one shape.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::chlo;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/CHLO/Broadcast.cpp.inc"

void CHLODialect::registerBroadcastOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/Broadcast.cpp.inc"
      >();
}

SmallVector<int64_t> systole::chlo::broadcastDims(std::optional<ArrayRef<int64_t>> given,
                                                  int64_t low, int64_t high) {
  if (given)
    return SmallVector<int64_t>(*given);
  return llvm::to_vector(llvm::seq<int64_t>(high - low, high));
}

/// Broadcasts `shape` against another shape, whose dimensions are the dimensions `dims` of it.
static LogicalResult meet(const Refusal &refuse, SmallVectorImpl<int64_t> &shape,
                          ArrayRef<int64_t> other, ArrayRef<int64_t> dims) {
  for (auto [d, size] : llvm::zip_equal(dims, other)) {
    int64_t &own = shape[d];
    if (own == 1)
      own = size;
    else if (size != 1 && !areCompatibleSizes(own, size))
      return refuse("cannot bring sizes ", own, " and ", size, " of dimension ", d, " together");
  }
  return success();
}

static LogicalResult verifyShape(const Refusal &refuse, ArrayRef<int64_t> shape,
                                 RankedTensorType result) {
  auto expected = RankedTensorType::get(shape, result.getElementType());
  if (!areCompatibleShapes(expected, result))
    return refuse("requires a result of type ", expected, ", but it is ", result);
  return success();
}

LogicalResult systole::chlo::verifyBroadcast(Operation *op,
                                             std::optional<ArrayRef<int64_t>> given) {
  Refusal refuse(op);
  auto lhs = cast<RankedTensorType>(op->getOperand(0).getType());
  auto rhs = cast<RankedTensorType>(op->getOperand(1).getType());
  if (!areCompatibleElements(lhs.getElementType(), rhs.getElementType()))
    return refuse("requires the same element type, but operand #0 is ", lhs, " and operand #1 is ",
                  rhs);
  RankedTensorType high = lhs.getRank() < rhs.getRank() ? rhs : lhs;
  RankedTensorType low = lhs.getRank() < rhs.getRank() ? lhs : rhs;
  SmallVector<int64_t> dims = broadcastDims(given, low.getRank(), high.getRank());
  StringRef name = "broadcast_dimensions";
  if (failed(checkOnePerDim(refuse, name, dims, "the operand of lower rank", low.getRank())) ||
      failed(checkDims(refuse, name, dims, "operand of higher rank", high.getRank())) ||
      failed(checkAscending(refuse, name, dims)))
    return failure();
  SmallVector<int64_t> shape(high.getShape());
  if (failed(meet(refuse, shape, low.getShape(), dims)))
    return failure();
  return verifyShape(refuse, shape, cast<RankedTensorType>(op->getResult(0).getType()));
}

LogicalResult BroadcastSelectOp::verify() {
  Refusal refuse(*this);
  RankedTensorType onTrue = getOnTrue().getType(), onFalse = getOnFalse().getType();
  RankedTensorType result = getResult().getType();
  for (RankedTensorType type : {onFalse, result})
    if (!areCompatibleElements(type.getElementType(), onTrue.getElementType()))
      return refuse("requires the same element type, but on_true is ", onTrue, " and there is ",
                    type);
  int64_t rank = std::max({getPred().getType().getRank(), onTrue.getRank(), onFalse.getRank()});
  SmallVector<int64_t> shape(rank, 1);
  for (RankedTensorType type : {getPred().getType(), onTrue, onFalse})
    if (failed(meet(refuse, shape, type.getShape(),
                    broadcastDims(std::nullopt, type.getRank(), rank))))
      return failure();
  return verifyShape(refuse, shape, result);
}
