// The StableHLO operations on tuples and futures.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Grouping.cpp.inc"

void StableHLODialect::registerGroupingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Grouping.cpp.inc"
      >();
}

LogicalResult TupleOp::verify() {
  auto tuple = cast<TupleType>(getResult().getType());
  if (tuple.getTypes() == ArrayRef<Type>(llvm::to_vector(getValues().getTypes())))
    return success();
  return Refusal(*this)("requires a tuple of the operands' types, but it is ", tuple);
}

LogicalResult GetTupleElementOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  if (adaptor.getIndex() >= tuple.size())
    return Refusal(location, getOperationName())("has no element ", adaptor.getIndex(), " of ",
                                                 tuple.size());
  types.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}

LogicalResult AsyncStartOp::verifyRegions() {
  Refusal refuse(*this);
  Block &body = getBody().front();
  if (!areCompatibleTypes(body.getArgumentTypes(), getInputs().getTypes()))
    return refuse("requires a body with arguments of the operands' types");
  auto operations = body.without_terminator();
  if (!llvm::hasSingleElement(operations))
    return refuse("requires a body of one operation and a return, but there are ",
                  llvm::range_size(operations), " before the return");
  Operation &operation = *operations.begin();
  if (!isa<AllReduceOp, AllGatherOp, AllToAllOp, CollectivePermuteOp, ReduceScatterOp,
           CollectiveBroadcastOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(operation))
    return refuse("requires a collective operation or a slice in its body, but it is ",
                  operation.getName().getStringRef());
  if (!areCompatibleTypes(body.getTerminator()->getOperandTypes(),
                          getResult().getType().getTypes()))
    return refuse("requires a future of the types that the body returns, but it is ",
                  getResult().getType());
  return success();
}

LogicalResult AsyncDoneOp::verify() {
  if (areCompatibleTypes(getResultTypes(), getFuture().getType().getTypes()))
    return success();
  return Refusal(*this)("requires results of the types of the future, ", getFuture().getType());
}
