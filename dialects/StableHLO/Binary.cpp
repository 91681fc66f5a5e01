// The StableHLO operations on two tensors of one type, element by element.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Binary.cpp.inc"

void StableHLODialect::registerBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Binary.cpp.inc"
      >();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  Type rhs = adaptor.getRhs().getType();
  if (!areCompatibleTypes(lhs, rhs))
    return Refusal(location, getOperationName())("requires parts of the same type, but lhs is ",
                                                 lhs, " and rhs is ", rhs);
  types.push_back(lhs.clone(ComplexType::get(lhs.getElementType())));
  return success();
}
