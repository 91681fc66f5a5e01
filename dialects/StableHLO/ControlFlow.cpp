// The StableHLO operations of control flow.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/ControlFlow.cpp.inc"

void StableHLODialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ControlFlow.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Checks the number of values and their types, in order. `what` names them:
/// "arguments of cond".
static LogicalResult checkTypes(const Refusal &refuse, const Twine &what, TypeRange actual,
                                TypeRange expected) {
  std::string name = what.str();
  if (actual.size() != expected.size())
    return refuse("requires ", expected.size(), " ", name, ", but there are ", actual.size());
  for (auto [i, a, b] : llvm::enumerate(actual, expected))
    if (!areCompatibleTypes(a, b))
      return refuse("requires ", b, " for #", i, " of the ", name, ", but it is ", a);
  return success();
}

/// Checks that a branch has no arguments and returns the results of its op.
static LogicalResult checkBranch(const Refusal &refuse, const Twine &name, Region &branch,
                                 TypeRange results) {
  if (failed(checkTypes(refuse, "arguments of " + name, branch.getArgumentTypes(), TypeRange())))
    return failure();
  return checkTypes(refuse, "values that " + name + " returns",
                    branch.front().getTerminator()->getOperandTypes(), results);
}

LogicalResult ReturnOp::verify() {
  Operation *parent = (*this)->getParentOp();
  // CHLO, which is defined on top of this dialect, has operations with regions, too.
  if (parent && (isa<StableHLODialect, func::FuncDialect>(parent->getDialect()) ||
                 parent->getName().getDialectNamespace() == "chlo"))
    return success();
  return Refusal(*this)("must end a region of a stablehlo operation or a function");
}

LogicalResult IfOp::verifyRegions() {
  Refusal refuse(*this);
  if (failed(checkBranch(refuse, "true_branch", getTrueBranch(), getResultTypes())))
    return failure();
  return checkBranch(refuse, "false_branch", getFalseBranch(), getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty())
    return Refusal(*this)("requires at least one branch");
  return success();
}

LogicalResult CaseOp::verifyRegions() {
  Refusal refuse(*this);
  for (auto [i, branch] : llvm::enumerate(getBranches()))
    if (failed(checkBranch(refuse, "branch #" + Twine(i), branch, getResultTypes())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

LogicalResult WhileOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument arg : region.getArguments())
    setName(arg, "iterArg");
}

LogicalResult WhileOp::verifyRegions() {
  Refusal refuse(*this);
  TypeRange carried = getOperandTypes();
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(checkTypes(refuse, "arguments of cond", getCond().getArgumentTypes(), carried)) ||
      failed(checkTypes(refuse, "arguments of body", getBody().getArgumentTypes(), carried)) ||
      failed(checkTypes(refuse, "values that cond returns",
                        getCond().front().getTerminator()->getOperandTypes(), pred)))
    return failure();
  return checkTypes(refuse, "values that body returns",
                    getBody().front().getTerminator()->getOperandTypes(), carried);
}

// (%arg = %init, ...) : types attributes {...} cond {...} do {...}
// Both regions have the same arguments, so their names are written once.
void WhileOp::print(OpAsmPrinter &p) {
  p << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()), p,
                        [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
  p << ')';
  if (getNumOperands() != 0) {
    p << " : ";
    llvm::interleaveComma(getOperandTypes(), p);
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p.printNewline();
  p << "cond ";
  p.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  p << " do ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc start = parser.getCurrentLocation();
  auto parseCarried = [&]() -> ParseResult {
    return failure(parser.parseArgument(args.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCarried))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, start, result.operands))
    return failure();
  result.addTypes(types);
  for (auto [arg, type] : llvm::zip_equal(args, types))
    arg.type = type;
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseKeyword("cond") || parser.parseRegion(*result.addRegion(), args) ||
                 parser.parseKeyword("do") || parser.parseRegion(*result.addRegion(), args));
}

//===----------------------------------------------------------------------===//
// optimization_barrier
//===----------------------------------------------------------------------===//

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}

void OptimizationBarrierOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpResult result : getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

//===----------------------------------------------------------------------===//
// composite, custom_call and map
//===----------------------------------------------------------------------===//

LogicalResult CompositeOp::verify() {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  auto [space, rest] = getName().split('.');
  SmallVector<StringRef> parts;
  rest.split(parts, '.');
  bool isValid =
      !space.empty() && llvm::isAlpha(space.front()) && llvm::all_of(space, isWord) &&
      llvm::all_of(parts, [&](StringRef part) {
        return !part.empty() && llvm::all_of(part, [&](char c) { return isWord(c) || c == '$'; });
      });
  if (!isValid)
    return Refusal(*this)("requires a name of letters, digits and '_' with a namespace, as in "
                          "'my.op', but it is '",
                          getName(), "'");
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Refusal refuse(*this);
  Operation *function = symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr());
  auto type = function ? function->getAttrOfType<TypeAttr>("function_type") : TypeAttr();
  if (!type)
    return refuse("requires a function as its decomposition, but '", getDecomposition(),
                  "' is none");
  auto signature = cast<FunctionType>(type.getValue());
  if (failed(checkTypes(refuse, "inputs", getOperandTypes(), signature.getInputs())))
    return failure();
  return checkTypes(refuse, "results", getResultTypes(), signature.getResults());
}

/// Checks that a layout lists the dimensions of each array, in any order. Tokens and tuples have
/// empty lists.
static LogicalResult checkLayouts(const Refusal &refuse, StringRef name, ArrayAttr layouts,
                                  TypeRange types) {
  if (layouts.size() != types.size())
    return refuse("requires ", name, " to have ", types.size(), " layouts, but it has ",
                  layouts.size());
  for (auto [layout, type] : llvm::zip(layouts, types)) {
    auto dims = dyn_cast<DenseIntElementsAttr>(layout);
    if (isa<TupleType>(type))
      return refuse("requires ", name, " of arrays and tokens, but there is ", type);
    if (dims && isa<UnrankedTensorType>(type))
      continue;
    auto array = dyn_cast<RankedTensorType>(type);
    int64_t rank = array ? array.getRank() : 0;
    if (!dims || dims.getType().getShape() != ArrayRef(rank))
      return refuse("requires ", name, " to have a list of ", rank, " dimensions for ", type);
    auto order = llvm::map_to_vector(dims, [](const APInt &dim) { return dim.getSExtValue(); });
    if (failed(checkDims(refuse, name, order, "the array", rank)))
      return failure();
  }
  return success();
}

/// The type at `indices` of nested tuples; null if they are out of range.
static Type elementOf(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// Checks that each alias names a part of the results and a part of an operand, of one type.
static LogicalResult checkAliases(const Refusal &refuse, CustomCallOp op) {
  if (!op.getOutputOperandAliases())
    return success();
  Type results = op.getNumResults() == 1 ? op.getResult(0).getType()
                                         : TupleType::get(op.getContext(), op.getResultTypes());
  for (auto alias : op.getOutputOperandAliases()->getAsRange<OutputOperandAliasAttr>()) {
    int64_t index = alias.getOperandIndex();
    if (index < 0 || index >= static_cast<int64_t>(op.getNumOperands()))
      return refuse("has an alias of operand #", index, ", but there are ", op.getNumOperands());
    Type operand = elementOf(op.getOperand(index).getType(), alias.getOperandTupleIndices()),
         result = elementOf(results, alias.getOutputTupleIndices());
    if (!operand)
      return refuse("has no element ", toText(alias.getOperandTupleIndices()), " in operand #",
                    index, ", ", op.getOperand(index).getType());
    if (!result)
      return refuse("has no element ", toText(alias.getOutputTupleIndices()),
                    " among its results, ", results);
    if (operand != result)
      return refuse("cannot give the memory of ", operand, " to a result of type ", result);
  }
  return success();
}

LogicalResult CustomCallOp::verify() {
  Refusal refuse(*this);
  if (failed(checkAliases(refuse, *this)))
    return failure();
  if (getApiVersion() > kTypedApiVersion)
    return refuse("requires api_version to be from 0 to 4, but it is ", getApiVersion());
  if (Attribute config = getBackendConfigAttr();
      config && isa<DictionaryAttr>(config) != (getApiVersion() == kTypedApiVersion))
    return refuse("requires backend_config to be a dictionary if api_version is 4, else a string");
  if (!getOperandLayoutsAttr() && !getResultLayoutsAttr())
    return success();
  if (bool(getOperandLayoutsAttr()) != bool(getResultLayoutsAttr()) && getNumOperands() > 0 &&
      getNumResults() > 0)
    return refuse("requires layouts of both operands and results, or of neither");
  // A list of none may be missing.
  ArrayAttr none = ArrayAttr::get(getContext(), {});
  auto orNone = [&](ArrayAttr layouts) { return layouts ? layouts : none; };
  if (failed(checkLayouts(refuse, "operand_layouts", orNone(getOperandLayoutsAttr()),
                          getOperandTypes())))
    return failure();
  TypeRange results = getResultTypes();
  if (auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType())
    results = tuple.getTypes();
  return checkLayouts(refuse, "result_layouts", orNone(getResultLayoutsAttr()), results);
}

LogicalResult MapOp::verify() {
  Refusal refuse(*this);
  if (getInputs().empty())
    return refuse("requires an input");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getOperation()->getResultTypes()))
    if (!areCompatibleShapes(first, type))
      return refuse("requires the same shape for all inputs and the result, but there are ", first,
                    " and ", type);
  if (!llvm::equal(getDimensions(), llvm::seq<int64_t>(0, first.getRank())))
    return refuse("requires dimensions to list all ", first.getRank(),
                  " dimensions in order, but they are ", toText(getDimensions()));
  return success();
}

LogicalResult MapOp::verifyRegions() {
  Refusal refuse(*this);
  auto scalars = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) -> Type {
      return RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType());
    });
  };
  if (failed(checkTypes(refuse, "arguments of computation", getComputation().getArgumentTypes(),
                        scalars(getOperandTypes()))))
    return failure();
  return checkTypes(refuse, "values that computation returns",
                    getComputation().front().getTerminator()->getOperandTypes(),
                    scalars(getOperation()->getResultTypes()));
}
