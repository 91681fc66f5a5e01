// Kernels and the program around them: syntax and verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Bounds.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Resident.h"
#include "dialects/Kernel/WindowBounds.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::kernel;

// The type of an operand as a block argument of the kernel's body.
static BufferType bodyType(BufferType operand, OperandAttr attr) {
  auto with = [&](ArrayRef<int64_t> shape, Space space) {
    return BufferType::get(operand.getContext(), shape, operand.getElementType(), space);
  };
  switch (attr.getRole()) {
  case Role::in:
  case Role::out:
  case Role::inout:
  case Role::prefetch:
    return with(attr.getBlock(), Space::vmem);
  case Role::stream:
    return with(operand.getShape(), Space::smem);
  case Role::raw:
    return operand;
  }
  llvm_unreachable("every role is handled");
}

//===----------------------------------------------------------------------===//
// func: syntax
//===----------------------------------------------------------------------===//

// kernel.func @name grid (%i = 4, %j = 2) (%x : !kernel.buffer<8xf32, hbm> #kernel.operand<...>)
//     scalars (%n) attributes {...} { ... }
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<int64_t> grid;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseIndex = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    argument.type = builder.getI32Type();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseInteger(grid.emplace_back()));
  };
  if (parser.parseSymbolName(name, "sym_name", result.attributes) || parser.parseKeyword("grid") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseIndex))
    return failure();

  SmallVector<Attribute> types, operands;
  auto parseOperand = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    BufferType type;
    OperandAttr operand;
    if (parser.parseArgument(argument) || parser.parseColonType(type) ||
        parser.parseAttribute(operand))
      return failure();
    argument.type = bodyType(type, operand);
    types.push_back(TypeAttr::get(type));
    operands.push_back(operand);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOperand))
    return failure();
  int64_t scalars = 0;
  auto parseScalar = [&]() -> ParseResult {
    ++scalars;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    argument.type = builder.getI32Type();
    return parser.parseArgument(argument);
  };
  if (succeeded(parser.parseOptionalKeyword("scalars")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseScalar))
    return failure();
  if (scalars)
    result.addAttribute("scalars", builder.getI64IntegerAttr(scalars));
  result.addAttribute("grid", builder.getDenseI64ArrayAttr(grid));
  result.addAttribute("operandTypes", builder.getArrayAttr(types));
  result.addAttribute("operands", builder.getArrayAttr(operands));
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " grid (";
  Block &block = getBody().front();
  size_t indices = getGrid().size();
  llvm::interleaveComma(llvm::zip(block.getArguments().take_front(indices), getGrid()), printer,
                        [&](auto index) {
                          printer.printOperand(std::get<0>(index));
                          printer << " = " << std::get<1>(index);
                        });
  printer << ") (";
  llvm::interleaveComma(
      llvm::zip_first(getOperandTypes(), block.getArguments().drop_front(indices), getOperands()),
      printer, [&](auto operand) {
        auto [type, argument, attr] = operand;
        printer.printOperand(argument);
        printer << " : " << type << ' ' << attr;
      });
  printer << ')';
  if (getScalars()) {
    printer << " scalars (";
    llvm::interleaveComma(block.getArguments().take_back(getScalars()), printer,
                          [&](Value scalar) { printer.printOperand(scalar); });
    printer << ')';
  }
  SmallVector<StringRef> elided = {"sym_name", "grid", "operandTypes", "operands", "scalars"};
  if (!getReserved())
    elided.push_back("reserved");
  if (!getLoading())
    elided.push_back("loading");
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// func: verifier
//===----------------------------------------------------------------------===//

bool systole::kernel::startsAtWholeRows(BufferType type, ArrayRef<int64_t> block) {
  int64_t packing = 32 / type.getStorageBits();
  if (packing == 1 || block.empty())
    return true;
  ArrayRef<int64_t> shape = type.getShape();
  // From the innermost dimension out: rows of a contiguous run in the buffer
  // and in the block, up to the first dimension that is tiled.
  int64_t arrayRun = 1, blockRun = 1;
  int64_t dim = shape.size() - 1;
  for (; dim >= 0; --dim) {
    bool isLanes = dim + 1 == type.getRank(), isTiled = block[dim] < shape[dim];
    arrayRun *= type.getRowExtent(dim);
    blockRun *= !isTiled  ? type.getRowExtent(dim)
                : isLanes ? block[dim] / systole::kLanes
                          : block[dim];
    if (isTiled)
      break;
  }
  if (dim < 0)
    return true;
  int64_t outer = 1;
  for (int64_t d = 0; d < dim; ++d)
    outer *= shape[d];
  return blockRun % packing == 0 && (outer == 1 || arrayRun % packing == 0);
}

// The visits of an output block must be consecutive grid steps: the grid
// dimensions that choose it must be the outer ones.
static bool isVisitedOnce(AffineMap map, ArrayRef<int64_t> grid) {
  bool outerUnused = false;
  for (auto [dim, extent] : llvm::enumerate(grid)) {
    if (extent <= 1)
      continue;
    bool used = map.isFunctionOfDim(dim);
    if (used && outerUnused)
      return false;
    outerUnused |= !used;
  }
  return true;
}

// The grid must write every block of a result, and visit every block where each step
// reads a different one.
static LogicalResult verifyReach(FuncOp op, size_t number, BufferType type, OperandAttr attr) {
  if (op->hasAttr(kMosaicAttr))
    return success();
  for (auto [dim, index] : llvm::enumerate(attr.getMap().getResults())) {
    int64_t part = attr.getBlock()[dim];
    int64_t blocks = part ? llvm::divideCeil(type.getShape()[dim], part) : 1;
    int64_t reached = boundsOf(index, op.getGrid())->max + 1;
    bool isEach = (attr.getRole() != Role::in && attr.getRole() != Role::prefetch) ||
                  isa<AffineDimExpr>(index);
    if (isEach && reached < blocks)
      return op.emitOpError() << "expects the grid to reach all " << blocks << " blocks of operand "
                              << number << " in dimension " << dim << ", found " << reached;
  }
  return success();
}

// The block of an operand that is divided at multiples of the block size.
static LogicalResult verifyBlock(FuncOp op, size_t number, BufferType type, OperandAttr attr) {
  ArrayRef<int64_t> block = attr.getBlock(), shape = type.getShape();
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(block, shape))) {
    auto [part, whole] = extents;
    if (part > whole || part < std::min<int64_t>(whole, 1))
      return op.emitOpError() << "expects a block between 1 and " << whole << " in dimension "
                              << dim << " of operand " << number << ", found " << part;
    if (dim + 1 == shape.size() && part < whole && part % systole::kLanes != 0)
      return op.emitOpError() << "expects the last dimension of operand " << number
                              << " cut at a multiple of 128, found " << part;
    std::optional<Bounds> bounds = boundsOf(attr.getMap().getResult(dim), op.getGrid());
    int64_t blocks = part ? llvm::divideCeil(whole, part) : 1;
    if (!bounds || bounds->min < 0 || bounds->max >= blocks)
      return op.emitOpError() << "expects the map of operand " << number << " to stay below its "
                              << blocks << " blocks in dimension " << dim << ", found "
                              << AffineMapAttr::get(attr.getMap());
  }
  if (startsAtWholeRows(type, block))
    return verifyReach(op, number, type, attr);
  return op.emitOpError() << "expects blocks of operand " << number
                          << " to start at whole rows of 512 bytes, which hold "
                          << 32 / type.getStorageBits() << " rows of " << type.getElementType()
                          << "; block [" << block << "] of " << type << " does not";
}

// Windows start and end at whole rows of 512 bytes, too. The innermost dimension in
// which the window is not the whole buffer decides, together with the buffer's rows in
// the dimensions inside of it.
static bool windowStartsAtWholeRows(BufferType type, OperandAttr attr) {
  ArrayRef<int64_t> block = attr.getBlock(), shape = type.getShape();
  int64_t packing = 32 / type.getStorageBits(), rowsInside = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    bool isLanes = d + 1 == type.getRank();
    int64_t unit = isLanes ? systole::kLanes : 1;
    int64_t extent = type.getRowExtent(d);
    bool moves = attr.getStride()[d] != 0 && !isa<AffineConstantExpr>(attr.getMap().getResult(d));
    bool isWhole = block[d] == shape[d] && attr.getOffset()[d] == 0 && !moves;
    if (!isWhole) {
      for (int64_t elements : {block[d], attr.getStride()[d], attr.getOffset()[d]})
        if (elements % unit != 0 || elements / unit * rowsInside % packing != 0)
          return false;
      int64_t outer = 1;
      for (int64_t size : shape.take_front(d))
        outer *= size;
      return outer == 1 || extent * rowsInside % packing == 0;
    }
    rowsInside *= extent;
  }
  return true;
}

static LogicalResult verifyWindow(FuncOp op, size_t number, BufferType type, OperandAttr attr) {
  size_t rank = type.getRank();
  if (attr.getRole() != Role::in)
    return op.emitOpError() << "expects operand " << number << ", a window, to be `in`";
  if (attr.getStride().size() != rank || attr.getOffset().size() != rank)
    return op.emitOpError() << "expects " << rank << " strides and offsets for operand " << number;
  if (std::optional<size_t> dim = windowBeyondIndices(attr, op.getGrid()))
    return op.emitOpError() << "expects the window of operand " << number
                            << " to be of 1 element or more and within " << kMostWindowIndices
                            << " elements of the buffer in dimension " << *dim;
  if (windowStartsAtWholeRows(type, attr))
    return success();
  return op.emitOpError() << "expects the window of operand " << number
                          << " to start and end at whole rows of 512 bytes; that of " << type
                          << " does not";
}

// Verifies the block and map of an `in`, `out` or `inout` operand.
static LogicalResult verifyBlocked(FuncOp op, size_t number, BufferType type, OperandAttr attr) {
  size_t rank = type.getRank();
  if (attr.getBlock().size() != rank)
    return op.emitOpError() << "expects a block of rank " << rank << " for operand " << number
                            << ", found [" << attr.getBlock() << "]";
  AffineMap map = attr.getMap();
  if (map.getNumDims() != op.getGrid().size() || map.getNumSymbols() || map.getNumResults() != rank)
    return op.emitOpError() << "expects the map of operand " << number << " to go from "
                            << op.getGrid().size() << " grid indices to " << rank
                            << " block indices, found " << AffineMapAttr::get(map);
  if (attr.getRow() >= static_cast<int64_t>(op.getScalars()))
    return op.emitOpError() << "expects operand " << number << " to begin at a row that one of its "
                            << op.getScalars() << " scalars is, found " << attr.getRow();
  if (attr.getRole() == Role::prefetch && llvm::any_of(map.getResults(), [](AffineExpr index) {
        return !isa<AffineConstantExpr>(index);
      }))
    return op.emitOpError() << "expects one block of operand " << number << ", which it loads";
  if (attr.getRole() != Role::in && !op->hasAttr(kMosaicAttr) && !isVisitedOnce(map, op.getGrid()))
    return op.emitOpError() << "expects the blocks of operand " << number
                            << " to be visited in consecutive grid steps";
  if (attr.getPieces() > 1 &&
      (attr.getBlock() != type.getShape() ||
       !isDivisible(RankedTensorType::get(type.getShape(), type.getElementType()),
                    attr.getPieces())))
    return op.emitOpError() << "expects operand " << number << " whole, in " << attr.getPieces()
                            << " pieces of whole rows of 512 bytes";
  return attr.isWindow() ? verifyWindow(op, number, type, attr)
                         : verifyBlock(op, number, type, attr);
}

/// Checks that an operand's place in VMEM is within the rows that are reserved.
static LogicalResult verifyPlaces(FuncOp op, size_t number, BufferType type, OperandAttr attr) {
  if (!attr.isResident() && !attr.isPrefetched())
    return success();
  bool isBlocked =
      attr.getBlock().size() == type.getShape().size() && !llvm::is_contained(attr.getBlock(), 0);
  int64_t place = std::max(attr.getResident(), attr.getPrefetched()), rows = 0;
  if (isBlocked && attr.isResident() && attr.getRole() != Role::prefetch)
    rows = rowsInBlocks(RankedTensorType::get(type.getShape(), type.getElementType()),
                        attr.getBlock());
  else if (isBlocked)
    rows = bodyType(type, attr).getPhysicalRows();
  if (place <= int64_t(op.getReserved()) && rows <= place)
    return success();
  return op.emitOpError() << "expects operand " << number
                          << ", which VMEM keeps, within the reserved rows";
}

LogicalResult FuncOp::verify() {
  constexpr int64_t maxSteps = int64_t(1) << 30;
  int64_t steps = 1;
  for (int64_t extent : getGrid()) {
    if (extent < 1 || steps > maxSteps / extent)
      return emitOpError() << "expects a grid of 1 to " << maxSteps << " points, found ["
                           << getGrid() << "]";
    steps *= extent;
  }
  if (getOperandTypes().size() != getOperands().size())
    return emitOpError() << "expects as many operands as operand types, found "
                         << getOperands().size() << " and " << getOperandTypes().size();
  Block &block = getBody().front();
  size_t indices = getGrid().size();
  if (static_cast<int64_t>(getScalars()) < 0 ||
      block.getNumArguments() != indices + getOperands().size() + getScalars())
    return emitOpError() << "expects " << indices << " grid indices, " << getOperands().size()
                         << " operands and " << static_cast<int64_t>(getScalars())
                         << " scalars as block arguments, found " << block.getNumArguments();
  for (Value index : block.getArguments().take_front(indices))
    if (!index.getType().isSignlessInteger(32))
      return emitOpError("expects grid indices of type i32");
  for (Value scalar : block.getArguments().take_back(getScalars()))
    if (!scalar.getType().isSignlessInteger(32))
      return emitOpError("expects scalars of type i32");
  for (size_t number = 0; number < getOperands().size(); ++number) {
    auto type = dyn_cast<BufferType>(cast<TypeAttr>(getOperandTypes()[number]).getValue());
    auto attr = cast<OperandAttr>(getOperands()[number]);
    // Builds without assertions make attributes without this.
    if (failed(OperandAttr::verify([&] { return emitOpError(); }, attr.getRole(), attr.getBlock(),
                                   attr.getMap(), attr.getStride(), attr.getOffset(),
                                   attr.getBuffers(), attr.getRow(), attr.getResident(),
                                   attr.getPrefetched(), attr.getPieces())))
      return failure();
    bool isResident = type && type.getSpace() == Space::vmem && attr.isResident();
    if (!type || (type.getSpace() != Space::hbm && !isResident))
      return emitOpError() << "expects operand " << number
                           << " to be a buffer in hbm, or one that VMEM keeps";
    if (failed(verifyPlaces(*this, number, type, attr)))
      return failure();
    bool blocked = attr.getRole() != Role::stream && attr.getRole() != Role::raw;
    if (blocked && failed(verifyBlocked(*this, number, type, attr)))
      return failure();
    BufferType expected = bodyType(type, attr);
    if (block.getArgument(indices + number).getType() != expected)
      return emitOpError() << "expects block argument " << indices + number << " to be "
                           << expected;
  }
  if (block.empty() || !isa<ReturnOp>(block.back()))
    return emitOpError("expects its body to end in kernel.return");
  return success();
}

//===----------------------------------------------------------------------===//
// The program around kernels
//===----------------------------------------------------------------------===//

LogicalResult HbmOp::verify() {
  if (getResult().getType().getSpace() != Space::hbm)
    return emitOpError("expects a buffer in hbm");
  return success();
}

LogicalResult VmemOp::verify() {
  if (getResult().getType().getSpace() != Space::vmem)
    return emitOpError("expects a buffer in vmem");
  if (!placementAt(*this, getPlacement()))
    return emitOpError() << "names placement " << int64_t(getPlacement()) << ", which is not in "
                         << kVmemPlanAttr;
  return success();
}

PlacementAttr systole::kernel::placementAt(Operation *op, int64_t number) {
  auto module = op->getParentOfType<ModuleOp>();
  auto plan = module ? module->getAttrOfType<ArrayAttr>(kVmemPlanAttr) : ArrayAttr();
  return plan && number >= 0 && number < int64_t(plan.size())
             ? dyn_cast<PlacementAttr>(plan[number])
             : PlacementAttr();
}

PlacementAttr CallOp::placementOf(size_t operand) {
  std::optional<ArrayRef<int32_t>> numbers = getPlacements();
  return numbers && operand < numbers->size() ? placementAt(*this, (*numbers)[operand])
                                              : PlacementAttr();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls " << getCalleeAttr() << ", which is not a kernel";
  auto types = callee.getOperandTypes().getAsValueRange<TypeAttr>();
  if (!llvm::equal(types, getBuffers().getTypes()))
    return emitOpError() << "expects operands of the types that " << getCalleeAttr() << " takes";
  for (auto [number, operand] : llvm::enumerate(callee.getOperands().getAsRange<OperandAttr>())) {
    const int64_t place = std::max(operand.getResident(), operand.getPrefetched());
    PlacementAttr placement = placementOf(number);
    if (placement ? placement.getPlace() != place : place >= 0)
      return emitOpError() << "passes operand " << number << " in "
                           << (placement ? "a place " + std::to_string(placement.getPlace())
                                         : std::string("no place"))
                           << " of VMEM, and " << getCalleeAttr() << " expects "
                           << (place < 0 ? std::string("none") : std::to_string(place));
  }
  if (getScalars().size() != callee.getScalars())
    return emitOpError() << "passes " << getScalars().size() << " scalars, and " << getCalleeAttr()
                         << " takes " << callee.getScalars();
  return success();
}

static LogicalResult verifyScalarBuffer(Operation *op, BufferType type) {
  if (type.getSpace() != Space::hbm || type.getRank() != 0 || !type.getElementType().isInteger())
    return op->emitOpError() << "expects a rank-0 buffer of integers in hbm, found " << type;
  return success();
}

LogicalResult ReadScalarOp::verify() { return verifyScalarBuffer(*this, getBuffer().getType()); }

LogicalResult WriteScalarOp::verify() { return verifyScalarBuffer(*this, getBuffer().getType()); }
