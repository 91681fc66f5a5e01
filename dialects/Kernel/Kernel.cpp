// The `kernel` dialect's registration, types and attributes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/ExtentLists.h"
#include "dialects/Layout/RowLayout.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::kernel;

// `(d0) -> (d0, 0), stride = [4, 1], offset = [-1, 0], buffers = 1, row = 0, resident = 64`: a map,
// stride and offset if the blocks are windows, the number of buffers if it is not two, the scalar
// with the row at which the buffer begins, if there is one, where VMEM keeps it, if it does, and
// the number of pieces, if there are several.
static ParseResult parseBlocks(AsmParser &parser, AffineMap &map, SmallVectorImpl<int64_t> &stride,
                               SmallVectorImpl<int64_t> &offset, int64_t &buffers, int64_t &row,
                               int64_t &resident, int64_t &prefetched, int64_t &pieces) {
  buffers = 2;
  pieces = 1;
  row = resident = prefetched = -1;
  if (parser.parseAffineMap(map))
    return failure();
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    if (!seen.insert(keyword).second)
      return parser.emitError(loc) << keyword << " is given twice";
    ParseResult parsed = success();
    if (keyword == "stride")
      parsed = parseExtents(parser, stride);
    else if (keyword == "offset")
      parsed = parseExtents(parser, offset);
    else if (keyword == "buffers")
      parsed = parser.parseInteger(buffers);
    else if (keyword == "row")
      parsed = parser.parseInteger(row);
    else if (keyword == "resident")
      parsed = parser.parseInteger(resident);
    else if (keyword == "prefetched")
      parsed = parser.parseInteger(prefetched);
    else if (keyword == "pieces")
      parsed = parser.parseInteger(pieces);
    else
      return parser.emitError(loc)
             << "expects stride, offset, buffers, row, resident, prefetched or pieces, found "
             << keyword;
    if (parsed)
      return failure();
  }
  return success();
}

static void printBlocks(AsmPrinter &printer, AffineMap map, ArrayRef<int64_t> stride,
                        ArrayRef<int64_t> offset, int64_t buffers, int64_t row, int64_t resident,
                        int64_t prefetched, int64_t pieces) {
  printer << map;
  if (!stride.empty()) {
    printer << ", stride = ";
    printExtents(printer, stride);
    printer << ", offset = ";
    printExtents(printer, offset);
  }
  if (buffers != 2)
    printer << ", buffers = " << buffers;
  if (row >= 0)
    printer << ", row = " << row;
  if (resident >= 0)
    printer << ", resident = " << resident;
  if (prefetched >= 0)
    printer << ", prefetched = " << prefetched;
  if (pieces != 1)
    printer << ", pieces = " << pieces;
}

#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Kernel/KernelTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// buffer
//===----------------------------------------------------------------------===//

// The addresses of a buffer fit the scalar unit's 32 bits with a margin.
constexpr int64_t maxLogicalRows = int64_t(1) << 30;

int64_t BufferType::getRows() const {
  int64_t rows = 1;
  for (int64_t extent : getShape().drop_back(getRank() && !getReplicated() ? 1 : 0))
    rows *= extent;
  return rows;
}

unsigned BufferType::getStorageBits() const {
  unsigned bits = getElementType().getIntOrFloatBitWidth();
  return bits == 1 ? 8 : bits;
}

// The shape whose last dimension is along the lanes.
static SmallVector<int64_t> shapeOfRows(BufferType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (type.getReplicated())
    shape.push_back(1);
  return shape;
}

systole::RowPadding BufferType::getPadding() const {
  return getSpace() == Space::smem ? RowPadding()
                                   : rowPadding(shapeOfRows(*this), getStorageBits());
}

int64_t BufferType::getPitch(int64_t dim) const {
  return rowPitch(shapeOfRows(*this), getStorageBits(), dim);
}

int64_t BufferType::getRowExtent(int64_t dim) const {
  bool isLast = dim + 1 == getRank() && !getReplicated();
  int64_t inner = isLast ? 1 : getPitch(dim);
  int64_t outer = dim == 0 ? getLogicalRows() : getPitch(dim - 1);
  return inner == 0 ? 0 : outer / inner;
}

int64_t BufferType::getPhysicalRows() const {
  return RowShape{getRows(), getLaneCount(), getPadding()}.physicalRows(getStorageBits());
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  StringRef keyword;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  bool replicated = false;
  if (parser.parseKeyword(&keyword))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    replicated = true;
    if (parser.parseKeyword("replicated"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  std::optional<Space> space = symbolizeSpace(keyword);
  if (!space) {
    parser.emitError(loc) << "expects hbm, vmem, smem or flags, found " << keyword;
    return {};
  }
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape, element, *space,
                                       replicated);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  if (getRank())
    printer << 'x';
  printer << getElementType() << ", " << stringifySpace(getSpace())
          << (getReplicated() ? ", replicated>" : ">");
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element, Space space,
                                 bool replicated) {
  if (replicated && space != Space::vmem)
    return emitError() << "expects a replicated buffer in vmem";
  auto integer = dyn_cast<IntegerType>(element);
  bool known = isa<Float32Type, BFloat16Type, Float16Type>(element) ||
               (integer && !integer.isSigned() &&
                llvm::is_contained({1u, 8u, 16u, 32u}, integer.getWidth()));
  if (!known)
    return emitError() << "expects elements of f32, bf16, f16, i1 or integers of 8, 16 or 32 "
                          "bits, found "
                       << element;
  int64_t rows = 1;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent < 0)
      return emitError() << "expects static dimensions";
    bool last = dim + 1 == shape.size() && !replicated;
    int64_t factor = last ? llvm::divideCeil(extent, systole::kLanes) : extent;
    if (factor > 0 && rows > maxLogicalRows / factor)
      return emitError() << "expects at most " << maxLogicalRows << " logical rows";
    rows *= factor;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// operand
//===----------------------------------------------------------------------===//

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError, Role role,
                                  ArrayRef<int64_t>, AffineMap, ArrayRef<int64_t> stride,
                                  ArrayRef<int64_t>, int64_t buffers, int64_t row, int64_t resident,
                                  int64_t prefetched, int64_t pieces) {
  if (buffers < 1 || buffers > 2)
    return emitError() << "expects one or two buffers, found " << buffers;
  const bool isResident = resident >= 0, isPrefetched = prefetched >= 0,
             isLoad = role == Role::prefetch;
  if (isResident &&
      ((role != Role::in && role != Role::out && !isLoad) || !stride.empty() || row >= 0))
    return emitError() << "expects what VMEM keeps to be whole, `in`, `out` or `load`, and no "
                          "window";
  if (isLoad && !isResident)
    return emitError() << "expects a place in VMEM for what is loaded";
  if (isPrefetched && (role != Role::in || isResident || !stride.empty() || row >= 0))
    return emitError() << "expects what the kernel before loads to be whole, `in`, and no window";
  if (pieces < 1)
    return emitError() << "expects one piece or more, found " << pieces;
  if (pieces > 1 && (role != Role::in || isResident || isPrefetched || !stride.empty() || row >= 0))
    return emitError() << "expects what arrives in pieces to be whole, `in`, no window, and in HBM";
  return success();
}

//===----------------------------------------------------------------------===//
// hbm_region
//===----------------------------------------------------------------------===//

LogicalResult HbmRegionAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                    int64_t rows, int64_t base) {
  if (rows < 0 || base < 0)
    return emitError() << "expects rows and base of at least 0, found " << rows << " and " << base;
  return success();
}
