// The StableHLO operations that newer ones supersede.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Einsum.h"
#include "dialects/StableHLO/Imported.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Superseded.cpp.inc"

void StableHLODialect::registerSupersededOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Superseded.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// dot, einsum, unary_einsum
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  Refusal refuse(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   result = getResult().getType();
  for (auto [name, type] : {std::pair("lhs", lhs), std::pair("rhs", rhs)})
    if (type.getRank() < 1 || type.getRank() > 2)
      return refuse("requires one or two dimensions of ", name, ", but it is ", type);
  int64_t left = lhs.getShape().back(), right = rhs.getShape().front();
  if (!areCompatibleSizes(left, right))
    return refuse("requires the same size of the last dimension of lhs and the first of rhs, but "
                  "they are ",
                  left, " and ", right);
  SmallVector<int64_t> shape(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  if (!areCompatibleShapes(result.clone(shape), result))
    return refuse("requires a result of the other dimensions, ", result.clone(shape),
                  ", but it is ", result);
  if (ArrayAttr config = getPrecisionConfigAttr(); config && config.size() > 2)
    return refuse("precision_config has ", config.size(), " entries, but there are 2 operands");
  return checkSameKind(refuse, lhs, rhs, result);
}

static LogicalResult verifyEinsum(Operation *op, StringRef text) {
  Refusal refuse(op);
  FailureOr<Einsum> einsum = Einsum::parse(refuse, text, op->getOperandTypes());
  if (failed(einsum))
    return failure();
  return einsum->check(refuse, op->getOperandTypes(),
                       cast<RankedTensorType>(op->getResult(0).getType()));
}

LogicalResult EinsumOp::verify() { return verifyEinsum(*this, getEinsumConfig()); }

LogicalResult UnaryEinsumOp::verify() { return verifyEinsum(*this, getEinsumConfig()); }

//===----------------------------------------------------------------------===//
// broadcast, torch_index_select
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  SmallVector<int64_t> shape(adaptor.getBroadcastSizes());
  for (int64_t size : shape)
    if (size < 0)
      return Refusal(location, getOperationName())("broadcast size ", size, " is negative");
  llvm::append_range(shape, operand.getShape());
  types.push_back(operand.clone(shape));
  return success();
}

/// A dimension that may be counted from the end.
static int64_t fromFront(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

int64_t TorchIndexSelectOp::firstIndexDim() {
  return fromFront(getDim(), getOperand().getType().getRank());
}

int64_t TorchIndexSelectOp::batchRank() {
  return fromFront(getBatchDims(), getIndex().getType().getRank());
}

LogicalResult TorchIndexSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType()),
       index = cast<RankedTensorType>(adaptor.getIndex().getType());
  int64_t dim = fromFront(adaptor.getDim(), operand.getRank()),
          batch = fromFront(adaptor.getBatchDims(), index.getRank());
  if (dim < 0 || dim >= operand.getRank())
    return refuse("dim ", adaptor.getDim(), " is out of range for a rank-", operand.getRank(),
                  " operand");
  if (batch < 0 || batch > std::min(dim, index.getRank()))
    return refuse("batch_dims ", adaptor.getBatchDims(), " is not between 0 and dim, ", dim,
                  ", or the rank of index, ", index.getRank());
  for (int64_t d = 0; d < batch; ++d)
    if (!areCompatibleSizes(operand.getDimSize(d), index.getDimSize(d)))
      return refuse("batch dimension ", d, " has size ", operand.getDimSize(d),
                    " in the operand, but ", index.getDimSize(d), " in index");
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  types.push_back(operand.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// cross-replica-sum, rng
//===----------------------------------------------------------------------===//

LogicalResult CrossReplicaSumOp::verify() {
  if (ShapedType groups = getReplicaGroups().getType(); groups.getRank() != 2)
    return Refusal(*this)("requires replica_groups to have a row for each group, but they are of "
                          "type ",
                          groups);
  return success();
}

LogicalResult RngOp::verify() {
  Refusal refuse(*this);
  RankedTensorType result = getResult().getType();
  Type element = result.getElementType();
  for (RankedTensorType type : {getA().getType(), getB().getType()})
    if (type.getElementType() != element)
      return refuse("requires the same element type for a, b and the result, but they are ",
                    getA().getType(), ", ", getB().getType(), " and ", result);
  if (getRngDistribution() == RngDistribution::NORMAL && !isa<FloatType>(element))
    return refuse("requires floats of distribution NORMAL, but they are ", element);
  int64_t sizes = getShape().getType().getDimSize(0);
  if (!areCompatibleSizes(sizes, result.getRank()))
    return refuse("requires an element of shape for each dimension of the result, but there are ",
                  sizes, " for rank ", result.getRank());
  return checkConstantShape(refuse, "shape", getShape(), result);
}
