// The StableHLO operation that orders elements.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Sorting.cpp.inc"

void StableHLODialect::registerSortingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Sorting.cpp.inc"
      >();
}

int64_t SortOp::getSortedDimension() {
  int64_t dim = getDimension();
  return dim < 0 ? dim + cast<RankedTensorType>(getInputs().front().getType()).getRank() : dim;
}

LogicalResult SortOp::verify() {
  Refusal refuse(*this);
  if (getInputs().empty())
    return refuse("requires at least one input");
  int64_t rank = cast<RankedTensorType>(getInputs().front().getType()).getRank();
  int64_t dim = getDimension();
  if (dim < -rank || dim >= rank)
    return refuse("dimension ", dim, " is out of range for rank-", rank, " inputs");
  return success();
}

LogicalResult SortOp::verifyRegions() {
  Refusal refuse(*this);
  Block &block = getComparator().front();
  unsigned count = getInputs().size();
  if (block.getNumArguments() != 2 * count)
    return refuse("requires a comparator with ", 2 * count,
                  " arguments, two per input, but it has ", block.getNumArguments());
  for (BlockArgument arg : block.getArguments()) {
    unsigned input = arg.getArgNumber() / 2;
    Type scalar = RankedTensorType::get({}, getElementTypeOrSelf(getInputs()[input].getType()));
    if (arg.getType() != scalar)
      return refuse("requires ", scalar, " for argument #", arg.getArgNumber(),
                    " of the comparator, after input #", input, ", but it is ", arg.getType());
  }
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (block.getTerminator()->getOperandTypes() != TypeRange(pred))
    return refuse("requires a comparator that returns one ", pred);
  return success();
}
