// The layout attribute: syntax, sizes, and verification of the operations and
// arguments that carry it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace systole::kernel;

static unsigned storageBits(Type elementType) {
  return std::max(8u, elementType.getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// <{0,1:T(1,128)(2,1)}>
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> order, tile; // T(positions,lanes)
  int64_t packing = 1, one = 1;
  auto integers = [&](SmallVectorImpl<int64_t> &values) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Paren, [&] { return parser.parseInteger(values.emplace_back()); });
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseLBrace())
    return {};
  if (failed(parser.parseOptionalColon())) {
    do {
      if (parser.parseInteger(order.emplace_back()))
        return {};
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseColon())
      return {};
  }
  SMLoc tileLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("T") || integers(tile))
    return {};
  if (tile.size() != 2 || tile[0] < 1 || systole::kLanes % tile[0] != 0 ||
      tile[1] != systole::kLanes / tile[0]) {
    parser.emitError(tileLoc) << "expects a tile of 128 elements, as (1,128) or (2,64)";
    return {};
  }
  if (succeeded(parser.parseOptionalLParen()))
    if (parser.parseInteger(packing) || parser.parseComma() || parser.parseInteger(one) ||
        parser.parseRParen())
      return {};
  if (one != 1) {
    parser.emitError(tileLoc) << "expects a packing of (2,1) or (4,1)";
    return {};
  }
  if (parser.parseRBrace() || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<int64_t>(order), packing, tile.front());
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  llvm::interleave(getMinorToMajor(), printer, ",");
  printer << ":T(" << getRowTile() << ',' << systole::kLanes / getRowTile() << ')';
  if (getPacking() != 1)
    printer << '(' << getPacking() << ",1)";
  printer << "}>";
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> minorToMajor, int64_t packing, int64_t rowTile) {
  SmallVector<int64_t> sorted(minorToMajor);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, sorted.size())))
    return emitError() << "expects each dimension once, found {" << minorToMajor << "}";
  if (packing != 1 && packing != 2 && packing != 4)
    return emitError() << "expects 1, 2 or 4 elements in a cell, found " << packing;
  if (rowTile < 1 || systole::kLanes % rowTile != 0 || (rowTile > 1 && minorToMajor.size() < 2))
    return emitError() << "expects positions that fill a row, found " << rowTile;
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::inOrder(Type elementType, ArrayRef<int64_t> order, int64_t rowTile) {
  SmallVector<int64_t> minorToMajor(llvm::reverse(order));
  return get(elementType.getContext(), ArrayRef<int64_t>(minorToMajor), packingOf(elementType),
             rowTile);
}

SmallVector<int64_t> LayoutAttr::getOrder() const {
  return SmallVector<int64_t>(llvm::reverse(getMinorToMajor()));
}

// Wider elements become several tensors.
int64_t LayoutAttr::packingOf(Type elementType) {
  return std::max<int64_t>(32 / storageBits(elementType), 1);
}

LogicalResult LayoutAttr::verifyFor(Type type, function_ref<InFlightDiagnostic()> emitError) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << "expects a tensor type for a layout, found " << type;
  int64_t rank = getMinorToMajor().size();
  if (tensor.getRank() != rank)
    return emitError() << "layout " << *this << " orders " << rank << " dimensions, but " << type
                       << " has " << tensor.getRank();
  int64_t packing = packingOf(tensor.getElementType());
  if (getPacking() != packing)
    return emitError() << "layout " << *this << " has " << getPacking()
                       << " elements in a cell, but of " << tensor.getElementType() << " it is "
                       << packing;
  return success();
}

RankedTensorType LayoutAttr::toLogical(RankedTensorType physical) const {
  SmallVector<int64_t> shape(physical.getRank());
  for (auto [place, d] : llvm::enumerate(getOrder()))
    shape[d] = physical.getDimSize(place);
  if (getRowTile() > 1) {
    shape[getMinorToMajor()[0]] /= getRowTile();
    shape[getMinorToMajor()[1]] *= getRowTile();
  }
  return physical.clone(shape);
}

//===----------------------------------------------------------------------===//
// Layouts of operations, arguments and results
//===----------------------------------------------------------------------===//

/// Rows are tiled once dimensions are in physical order.
static LogicalResult verifyUntiled(LayoutAttr layout,
                                   function_ref<InFlightDiagnostic()> emitError) {
  if (layout.getRowTile() == 1)
    return success();
  return emitError() << "expects the tile (1,128), found " << layout;
}

LogicalResult systole::kernel::verifyLayouts(Operation *op, ArrayAttr layouts) {
  auto emitError = [&] { return op->emitOpError() << kLayoutsAttr << ": "; };
  if (layouts.size() != op->getNumResults())
    return emitError() << "expects one layout per result";
  for (auto [layout, type] :
       llvm::zip_equal(layouts.getAsRange<LayoutAttr>(), op->getResultTypes()))
    if (failed(layout.verifyFor(type, emitError)) || failed(verifyUntiled(layout, emitError)))
      return failure();
  return success();
}

LogicalResult systole::kernel::verifyEntryLayout(Operation *op, Type type, StringRef name,
                                                 LayoutAttr layout) {
  auto emitError = [&] { return op->emitOpError() << name << ": "; };
  if (failed(layout.verifyFor(type, emitError)))
    return failure();
  if (name == kLayoutAttr)
    return verifyUntiled(layout, emitError);
  auto tensor = cast<RankedTensorType>(type);
  if (layout.getRowTile() > 1 && tensor.getShape().back() % layout.getRowTile() != 0)
    return emitError() << "rows of " << tensor << " are not " << layout.getRowTile()
                       << " positions long";
  return success();
}
