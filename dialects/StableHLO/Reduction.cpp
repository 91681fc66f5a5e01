// The StableHLO operations that combine many elements by a region.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Reduction.cpp.inc"

void StableHLODialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Reduction.cpp.inc"
      >();
}

Operation *ReduceOp::getSimpleBody() {
  if (!getBody().hasOneBlock())
    return nullptr;
  Block &block = getBody().front();
  if (!llvm::hasNItems(block, 2))
    return nullptr;
  Operation &inner = block.front(), &last = block.back();
  if (!isa<ReturnOp>(last) || !llvm::equal(inner.getResults(), last.getOperands()) ||
      !llvm::equal(block.getArguments(), inner.getOperands()))
    return nullptr;
  return &inner;
}

//===----------------------------------------------------------------------===//
// Syntax: (%x init: %a), (%y init: %b) ... across dimensions = [0] : type
//===----------------------------------------------------------------------===//

/// Whether `applies` can replace a body of this operation: the body can be
/// rebuilt from its name and the element type of the first input.
static bool isAppliable(OperationName name) {
  return name.hasTrait<systole::stablehlo::OpTrait::Commutative>() &&
         name.hasTrait<mlir::OpTrait::NOperands<2>::Impl>() &&
         name.hasTrait<mlir::OpTrait::OneResult>() && name.hasTrait<mlir::OpTrait::ZeroRegions>();
}

/// The body's operation if the op can be printed with `applies`, else null.
static Operation *getApplied(ReduceOp op) {
  Operation *inner = op.getSimpleBody();
  if (!inner || op.getInputs().empty() || !isAppliable(inner->getName()) ||
      !inner->getDiscardableAttrs().empty())
    return nullptr;
  auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(op.getInputs().front().getType()));
  auto isScalar = [&](Type type) { return type == scalar; };
  return llvm::all_of(inner->getOperandTypes(), isScalar) &&
                 llvm::all_of(inner->getResultTypes(), isScalar)
             ? inner
             : nullptr;
}

void ReduceOp::print(OpAsmPrinter &p) {
  p << '(';
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), p.getStream(),
      [&](auto pair) { p << std::get<0>(pair) << " init: " << std::get<1>(pair); }, "), (");
  p << ')';
  Operation *applied = getApplied(*this);
  if (applied)
    p << " applies " << applied->getName().getStringRef();
  p << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), p);
  p << ']';
  p.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
  p << " : ";
  p.printFunctionalType(*this);
  if (applied)
    return;
  p.printNewline();
  p << " reducer";
  unsigned count = getInputs().size();
  for (unsigned i = 0; i < count; ++i) {
    p << '(';
    p.printRegionArgument(getBody().getArgument(i));
    p << ", ";
    p.printRegionArgument(getBody().getArgument(i + count));
    p << ") ";
  }
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Builds the body that `applies NAME` abbreviates.
static ParseResult buildApplied(OpAsmParser &parser, SMLoc nameLoc, OperationName name,
                                FunctionType type, Location loc, Region &body) {
  if (!isAppliable(name))
    return parser.emitError(nameLoc)
           << "'" << name << "' cannot be applied, as it is not a commutative "
           << "stablehlo operation of two operands and one result";
  if (type.getNumInputs() == 0)
    return parser.emitError(nameLoc, "'applies' needs an input");
  Type scalar = RankedTensorType::get({}, getElementTypeOrSelf(type.getInput(0)));
  Block &block = body.emplaceBlock();
  block.addArgument(scalar, loc);
  block.addArgument(scalar, loc);
  // The region is still empty, so the parser supplies the context.
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState state(loc, name);
  state.addOperands(block.getArguments());
  state.addTypes(scalar);
  Operation *inner = builder.create(state);
  ReturnOp::create(builder, loc, inner->getResults());
  return success();
}

/// Parses `reducer(%a: t, %b: t) (%i: u, %j: u) { ... }`.
static ParseResult parseReducer(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> args, secondArgs;
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(args.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(secondArgs.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  args.append(secondArgs);
  return parser.parseRegion(body, args);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  SmallVector<int64_t> dimensions;
  SMLoc start = parser.getCurrentLocation();
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  operands.append(inits);

  SMLoc nameLoc = parser.getCurrentLocation();
  std::optional<OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    nameLoc = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    applied = *name;
  }

  FunctionType type;
  auto parseDimension = [&] { return parser.parseInteger(dimensions.emplace_back()); };
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDimension) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), start, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);

  Region &body = *result.addRegion();
  if (!applied)
    return failure(parser.parseKeyword("reducer") || parseReducer(parser, body));
  // The location of the region applies to the body's operation, too.
  std::optional<Location> location;
  if (parser.parseOptionalLocationSpecifier(location))
    return failure();
  if (location)
    result.location = *location;
  return buildApplied(parser, nameLoc, *applied, type, result.location, body);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  Refusal refuse(*this);
  if (failed(checkInputs(refuse, getInputs().getTypes(), getNumResults())))
    return failure();
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  if (failed(checkDims(refuse, "dimensions", getDimensions(), "operand", first.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < first.getRank(); ++dim)
    if (!llvm::is_contained(getDimensions(), dim))
      shape.push_back(first.getDimSize(dim));
  for (auto [i, result] : llvm::enumerate(getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!areCompatibleShapes(type.clone(shape), type))
      return refuse("requires results of the kept dimensions, ", type.clone(shape),
                    ", but result #", i, " is ", type);
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  ArrayRef<int64_t> kept = cast<RankedTensorType>(getResult(0).getType()).getShape();
  for (Type type : getInitValues().getTypes())
    if (cast<RankedTensorType>(type).getRank() > static_cast<int64_t>(kept.size()))
      return Refusal(*this)("requires an initial value of rank 0 or of sizes among ", toText(kept),
                            ", but it is ", type);
  return checkReducer(Refusal(*this), "body", getBody().front(), getInputs().getTypes(),
                      getInitValues().getTypes(), getResultTypes(), kept);
}
