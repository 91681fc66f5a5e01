// The StableHLO operations that slide a window over tensors.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Windows.cpp.inc"

void StableHLODialect::registerWindowOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Windows.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

SmallVector<Window> ReduceWindowOp::getWindow() {
  return makeWindow(getWindowDimensions(), getWindowStrides(), getBaseDilations(),
                    getWindowDilations(), getPaddingAttr());
}

SmallVector<Window> SelectAndScatterOp::getWindow() {
  return makeWindow(*getWindowDimensions(), getWindowStrides(), std::nullopt, std::nullopt,
                    getPaddingAttr());
}

/// Checks that `type`, called `name`, has one element for each window position on a tensor of
/// `shape`.
static LogicalResult checkPositions(const Refusal &refuse, ArrayRef<Window> window,
                                    ArrayRef<int64_t> shape, Type type, const Twine &name) {
  SmallVector<int64_t> sizes;
  for (auto [dim, size] : llvm::zip_equal(window, shape)) {
    if (ShapedType::isDynamic(size)) {
      sizes.push_back(size);
      continue;
    }
    std::optional<int64_t> count = dim.positionsOn(size);
    if (!count)
      return refuse("has a padded dimension of 2^62 elements or more");
    sizes.push_back(*count);
  }
  auto actual = cast<RankedTensorType>(type);
  if (!areCompatibleShapes(actual.clone(sizes), actual))
    return refuse("requires one element per position of the window, ", actual.clone(sizes), ", in ",
                  name.str(), ", but it is ", actual);
  return success();
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

LogicalResult ReduceWindowOp::verify() {
  Refusal refuse(*this);
  if (failed(checkInputs(refuse, getInputs().getTypes(), getNumResults())))
    return failure();
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  int64_t rank = first.getRank();
  auto check = [&](StringRef name, OptionalInts values) {
    return checkPositive(refuse, name, values, "the inputs", rank);
  };
  if (failed(check("window_dimensions", getWindowDimensions())) ||
      failed(check("window_strides", getWindowStrides())) ||
      failed(check("base_dilations", getBaseDilations())) ||
      failed(check("window_dilations", getWindowDilations())) ||
      failed(checkPadding(refuse, getPaddingAttr(), "the inputs", rank)))
    return failure();
  for (auto [i, result] : llvm::enumerate(getResults()))
    if (failed(checkPositions(refuse, getWindow(), first.getShape(), result.getType(),
                              "result #" + Twine(i))))
      return failure();
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return checkReducer(Refusal(*this), "body", getBody().front(), getInputs().getTypes(),
                      getInitValues().getTypes(), getResultTypes(), getWindowDimensions());
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

LogicalResult SelectAndScatterOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (!getWindowDimensions())
    return refuse("requires window_dimensions");
  auto check = [&](StringRef name, OptionalInts values) {
    return checkPositive(refuse, name, values, "the operand", operand.getRank());
  };
  if (failed(check("window_dimensions", getWindowDimensions())) ||
      failed(check("window_strides", getWindowStrides())) ||
      failed(checkPadding(refuse, getPaddingAttr(), "the operand", operand.getRank())) ||
      failed(
          checkPositions(refuse, getWindow(), operand.getShape(), getSource().getType(), "source")))
    return failure();
  if (!areCompatibleElements(getSource().getType().getElementType(), operand.getElementType()))
    return refuse("requires the same element type for operand and source, but they are ", operand,
                  " and ", getSource().getType());
  if (!areCompatibleShapes(operand, result))
    return refuse("requires a result of the operand's shape, ", result.clone(operand.getShape()),
                  ", but it is ", result);
  return success();
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Refusal refuse(*this);
  Type element = getOperand().getType().getElementType();
  Type scalar = RankedTensorType::get({}, element);
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  Block &select = getSelect().front();
  if (select.getNumArguments() != 2)
    return refuse("requires 2 arguments of select, but there are ", select.getNumArguments());
  for (BlockArgument arg : select.getArguments())
    if (arg.getType() != scalar)
      return refuse("requires ", scalar, " for argument #", arg.getArgNumber(),
                    " of select, after the operand, but it is ", arg.getType());
  TypeRange returned = select.getTerminator()->getOperandTypes();
  if (returned != TypeRange(pred))
    return refuse("requires select to return one ", pred);
  return checkReducer(refuse, "scatter", getScatter().front(), Type(getSource().getType()),
                      Type(getInitValue().getType()), Type(getResult().getType()));
}
