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
  return getPlan() ? verifyPlan(*this, *getPlan()) : success();
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
  if (lying(from).getLogicalRows() != lying(to).getLogicalRows())
    return emitOpError("expects as many rows of 128 elements, found ") << from << " and " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// view
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  BufferType from = getSource().getType(), to = getResult().getType();
  if (from.getSpace() != to.getSpace() || from.getElementType() != to.getElementType())
    return emitOpError("expects equal memory and element type, found ") << from << " and " << to;
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

LogicalResult RowsOp::verify() {
  BufferType from = getSource().getType(), to = getResult().getType();
  if (from.getSpace() != Space::vmem || to.getSpace() != Space::vmem ||
      from.getElementType() != to.getElementType())
    return emitOpError("expects buffers in vmem of equal element type, found ")
           << from << " and " << to;
  if (to.getLogicalRows() > from.getLogicalRows())
    return emitOpError("expects a part, found ")
           << to.getLogicalRows() << " rows of " << from.getLogicalRows();
  for (Operation *user : getResult().getUsers())
    if (!isa<MapOp>(user))
      return emitOpError("expects users to be kernel.map, found ") << user->getName();
  return success();
}
