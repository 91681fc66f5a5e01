// Fusions, views and reinterpreted tensors: syntax and verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace systole::kernel;

//===----------------------------------------------------------------------===//
// fusion
//===----------------------------------------------------------------------===//

// kernel.fusion "dot" (%x = %a, %y = %b) : (tensor<...>, tensor<...>) -> tensor<...> { ... }
ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  std::string kind;
  if (parser.parseString(&kind))
    return failure();
  result.addAttribute("kind", parser.getBuilder().getStringAttr(kind));

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc operandsLoc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(operandsLoc)
           << "expects " << type.getNumInputs() << " operands, as its type says; found "
           << operands.size();
  for (auto [argument, argumentType] : llvm::zip_equal(arguments, type.getInputs()))
    argument.type = argumentType;
  if (parser.resolveOperands(operands, type.getInputs(), operandsLoc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printAttributeWithoutType(getKindAttr());
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer,
                        [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = ";
                          printer.printOperand(std::get<1>(pair));
                        });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"kind"});
  printer << " : ";
  printer.printFunctionalType(getOperation());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult FusionOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expects one block argument per operand, of its type");
  auto fused = dyn_cast<FusedOp>(block.getTerminator());
  if (!fused)
    return emitOpError("expects its body to end in kernel.fused");
  if (fused.getValues().getTypes() != getOutputs().getTypes())
    return fused.emitOpError("expects values of the fusion's result types");
  if (!llvm::isUInt<31>(getReserved().value_or(0)))
    return emitOpError("expects a number of reserved rows below 2^31");
  if (getPrefetched())
    for (auto prefetch : getPrefetched()->getAsRange<PrefetchAttr>())
      if (prefetch.getInput() < 0 || prefetch.getInput() >= int64_t(getInputs().size()) ||
          prefetch.getPlacement().getResidency() != Residency::next ||
          prefetch.getPlacement().getPlace() > int64_t(getReserved().value_or(0)))
        return emitOpError("expects an input and reserved rows for each block that the fusion "
                           "before loads, found ")
               << prefetch;
  return getPlan() ? verifyPlan(*this, *getPlan()) : success();
}

//===----------------------------------------------------------------------===//
// elementwise
//===----------------------------------------------------------------------===//

LogicalResult ElementwiseOp::verify() {
  auto elementsOf = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) -> Type {
      return RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType());
    });
  };
  if (getOutputs().empty())
    return emitOpError("expects results");
  auto shape = cast<RankedTensorType>(getOutputs().front().getType()).getShape();
  auto hasShape = [&](Type type) { return cast<RankedTensorType>(type).getShape() == shape; };
  if (!llvm::all_of(getOperandTypes(), hasShape) || !llvm::all_of(getResultTypes(), hasShape))
    return emitOpError("expects operands and results of one shape");
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(elementsOf(getOperandTypes())))
    return emitOpError("expects one block argument per operand, of rank 0");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expects its body to end in kernel.yield");
  if (yield.getOperandTypes() != TypeRange(elementsOf(getResultTypes())))
    return yield.emitOpError("expects one value per result, of rank 0");
  return success();
}

//===----------------------------------------------------------------------===//
// reinterpret
//===----------------------------------------------------------------------===//

LogicalResult ReinterpretOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return emitOpError("expects static shapes");
  auto lying = [](RankedTensorType type) {
    return BufferType::get(type.getContext(), type.getShape(), type.getElementType(), Space::hbm);
  };
  if (lying(from).getStorageBits() != lying(to).getStorageBits())
    return emitOpError("expects elements of equal size, found ") << from << " and " << to;
  if (lying(from).getPhysicalRows() != lying(to).getPhysicalRows())
    return emitOpError("expects as many rows of 512 bytes, found ") << from << " and " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// part, replace_part
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> systole::kernel::pitchesOfPart(RankedTensorType array,
                                                                   ArrayRef<int64_t> part) {
  int64_t rank = array.getRank();
  if (!array.hasStaticShape() || part.size() != static_cast<size_t>(rank) || rank < 2 ||
      llvm::is_contained(part, 0) || array.getNumElements() == 0)
    return std::nullopt;
  auto lying = BufferType::get(array.getContext(), part, array.getElementType(), Space::hbm);
  // Padding between rows would be at other places of the part.
  if (auto whole =
          BufferType::get(array.getContext(), array.getShape(), array.getElementType(), Space::hbm);
      !whole.getPadding().isNone() || !lying.getPadding().isNone())
    return std::nullopt;
  int64_t packing = 32 / lying.getStorageBits();
  if (part.back() != array.getShape().back() || lying.getLogicalRows() % systole::kSublanes != 0)
    return std::nullopt;
  SmallVector<int64_t> pitches(rank, 0);
  // Of the innermost dimension that it has a part of it may have several positions, of those around
  // it one.
  int64_t pitch = lying.getLaneTiles();
  bool isRun = true;
  for (int64_t d = rank - 2; d >= 0; --d) {
    int64_t extent = array.getDimSize(d);
    if (part[d] != extent) {
      if (part[d] > extent || !(isRun || part[d] == 1) || pitch % packing != 0)
        return std::nullopt;
      pitches[d] = pitch / packing;
      isRun = false;
    } else if (!isRun && extent != 1) {
      return std::nullopt;
    }
    pitch *= extent;
  }
  return pitches;
}

/// Whether an array of type `type` is the rows of one with the shape `sizes`.
static bool hasRowsOfShape(RankedTensorType type, ArrayRef<int64_t> sizes) {
  if (type.getRank() == 0 || sizes.empty())
    return false;
  auto bufferOf = [&](ArrayRef<int64_t> shape) {
    return BufferType::get(type.getContext(), shape, type.getElementType(), Space::hbm);
  };
  BufferType part = bufferOf(sizes), result = bufferOf(type.getShape());
  bool isFull =
      part.getLaneCount() % systole::kLanes == 0 && result.getLaneCount() % systole::kLanes == 0;
  return (isFull || part.getLaneCount() == result.getLaneCount()) && result.hasRowsOf(part);
}

template <typename Op> static LogicalResult verifyPart(Op op, ArrayRef<int64_t> sizes, Type part) {
  auto array = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(part);
  if (type.getElementType() != array.getElementType() || !hasRowsOfShape(type, sizes) ||
      op.getStarts().size() != static_cast<size_t>(array.getRank()) || !pitchesOfPart(array, sizes))
    return op.emitOpError("expects a start in each dimension, and a run of whole groups of eight "
                          "rows, found ")
           << part << " of " << array;
  return success();
}

LogicalResult PartOp::verify() { return verifyPart(*this, getSizes(), getType()); }

LogicalResult ReplacePartOp::verify() {
  if (getType() != getSource().getType())
    return emitOpError("expects a result of the operand's type");
  auto update = cast<RankedTensorType>(getUpdate().getType());
  return verifyPart(*this, update.getShape(), update);
}

//===----------------------------------------------------------------------===//
// view
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  BufferType from = getSource().getType(), to = getResult().getType();
  if (from.getSpace() != to.getSpace() || from.getElementType() != to.getElementType())
    return emitOpError("expects equal memory and element type, found ") << from << " and " << to;
  if (from.getReplicated() != to.getReplicated())
    return emitOpError("expects both buffers or none to be replicated, found ")
           << from << " and " << to;
  bool isFull =
      from.getLaneCount() % systole::kLanes == 0 && to.getLaneCount() % systole::kLanes == 0;
  if ((!isFull && from.getLaneCount() != to.getLaneCount()) || !from.hasRowsOf(to))
    return emitOpError("expects equal last dimensions, or multiples of 128, and rows, found ")
           << from << " and " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// rows
//===----------------------------------------------------------------------===//

bool systole::kernel::isWholeVectors(BufferType type) {
  const int64_t rows = type.getRows() * type.getLaneTiles();
  return type.getLogicalRows() == rows && rows % systole::kSublanes == 0;
}

LogicalResult RowsOp::verify() {
  BufferType from = getSource().getType(), to = getResult().getType();
  if (from.getSpace() != Space::vmem || to.getSpace() != Space::vmem ||
      from.getElementType() != to.getElementType())
    return emitOpError("expects buffers in vmem of equal element type, found ")
           << from << " and " << to;
  if (to.getLogicalRows() > from.getLogicalRows())
    return emitOpError("expects a part, found ")
           << to.getLogicalRows() << " rows of " << from.getLogicalRows();
  if (getAligned()) {
    if (!isWholeVectors(to))
      return emitOpError() << "expects whole groups of eight rows, found " << to;
    return success();
  }
  for (Operation *user : getResult().getUsers())
    if (!isa<MapOp>(user))
      return emitOpError("expects users to be kernel.map, found ") << user->getName();
  return success();
}
