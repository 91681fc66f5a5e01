// The `tpu` dialect's registration, types and attributes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"
#include "dialects/Layout/ExtentLists.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole::tpu;

// `(8,128)(2,1)`, possibly nothing.
static ParseResult parseTiles(AsmParser &parser, SmallVectorImpl<DenseI64ArrayAttr> &tiles) {
  while (succeeded(parser.parseOptionalLParen())) {
    SmallVector<int64_t> sizes;
    if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(sizes.emplace_back()); }) ||
        parser.parseRParen())
      return failure();
    tiles.push_back(DenseI64ArrayAttr::get(parser.getContext(), sizes));
  }
  return success();
}

static void printTiles(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> tiles) {
  for (DenseI64ArrayAttr tile : tiles) {
    printer << '(';
    llvm::interleave(tile.asArrayRef(), printer, ",");
    printer << ')';
  }
}

#include "dialects/Mosaic/MosaicDialect.cpp.inc"
#include "dialects/Mosaic/MosaicEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Mosaic/MosaicTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Mosaic/MosaicAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Mosaic/MosaicOps.cpp.inc"

void MosaicDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Mosaic/MosaicTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Mosaic/MosaicAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Mosaic/MosaicOps.cpp.inc"
      >();
}

// Tiles only place elements: an index names the same element with any of them.
AffineMap TiledLayoutAttr::getAffineMap() const {
  return AffineMap::getMultiDimIdentityMap(getTileStrides().size(), getContext());
}

LogicalResult TiledLayoutAttr::verifyLayout(ArrayRef<int64_t> shape,
                                            function_ref<InFlightDiagnostic()> emitError) const {
  if (getTileStrides().size() != shape.size())
    return emitError() << "has " << getTileStrides().size() << " strides of tiles for "
                       << shape.size() << " dimensions";
  for (DenseI64ArrayAttr tile : getTiles())
    if (llvm::any_of(tile.asArrayRef(), [](int64_t size) { return size <= 0; }))
      return emitError() << "has a tile whose sizes are not positive";
  // Further tiles divide the one before, of which there may be more dimensions.
  if (!getTiles().empty() && getTiles().front().size() > int64_t(shape.size()))
    return emitError() << "has a tile of " << getTiles().front().size() << " dimensions for "
                       << shape.size();
  return success();
}

const llvm::fltSemantics &Float8EXMYType::getFloatSemantics() const {
  return getUnderlyingType().getFloatSemantics();
}

LogicalResult Float8EXMYType::verify(function_ref<InFlightDiagnostic()> emitError, FloatType type) {
  if (type.getWidth() > 8)
    return emitError() << "expects a float of at most 8 bits, not " << type;
  return success();
}

MemorySpace systole::tpu::memorySpaceOf(MemRefType type) {
  auto space = dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getValue() : MemorySpace::any;
}
