// The CHLO operations that compose loops and contractions.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole;
using namespace systole::chlo;
using stablehlo::Refusal;

#define GET_OP_CLASSES
#include "dialects/CHLO/Composed.cpp.inc"

void CHLODialect::registerComposedOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/Composed.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ragged_dot
//===----------------------------------------------------------------------===//

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting, ragged, group;
  if (stablehlo::parseFields(parser, {{"lhs_batching_dimensions", &lhsBatching},
                                      {"rhs_batching_dimensions", &rhsBatching},
                                      {"lhs_contracting_dimensions", &lhsContracting},
                                      {"rhs_contracting_dimensions", &rhsContracting},
                                      {"lhs_ragged_dimensions", &ragged},
                                      {"rhs_group_dimensions", &group}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting, ragged,
             group);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &p) const {
  std::pair<StringRef, ArrayRef<int64_t>> fields[] = {
      {"lhs_batching_dimensions", getLhsBatchingDimensions()},
      {"rhs_batching_dimensions", getRhsBatchingDimensions()},
      {"lhs_contracting_dimensions", getLhsContractingDimensions()},
      {"rhs_contracting_dimensions", getRhsContractingDimensions()},
      {"lhs_ragged_dimensions", getLhsRaggedDimensions()},
      {"rhs_group_dimensions", getRhsGroupDimensions()}};
  p << '<';
  llvm::interleaveComma(
      llvm::make_filter_range(fields, [](const auto &field) { return !field.second.empty(); }),
      p.getStream(),
      [&](const auto &field) { p << field.first << " = " << stablehlo::toText(field.second); });
  p << '>';
}

/// The dimensions in none of the lists, ascending.
static SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (llvm::none_of(lists, [&](ArrayRef<int64_t> list) { return llvm::is_contained(list, d); }))
      dims.push_back(d);
  return dims;
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t RaggedDotOp::getRaggedDim() {
  return getRaggedDotDimensionNumbers().getLhsRaggedDimensions().front();
}

RaggedDotOp::Mode RaggedDotOp::getMode() {
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  if (llvm::is_contained(dims.getLhsContractingDimensions(), getRaggedDim()))
    return Mode::Contracting;
  return llvm::is_contained(dims.getLhsBatchingDimensions(), getRaggedDim()) ? Mode::Batching
                                                                             : Mode::Free;
}

SmallVector<int64_t> RaggedDotOp::getLhsFreeDims() {
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  return otherDims(typeOf(getLhs()).getRank(),
                   {dims.getLhsBatchingDimensions(), dims.getLhsContractingDimensions()});
}

SmallVector<int64_t> RaggedDotOp::getRhsFreeDims() {
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  return otherDims(typeOf(getRhs()).getRank(),
                   {dims.getRhsBatchingDimensions(), dims.getRhsContractingDimensions(),
                    dims.getRhsGroupDimensions()});
}

SmallVector<int64_t> RaggedDotOp::getPrefixDims() {
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  SmallVector<int64_t> prefix, kind(dims.getLhsBatchingDimensions());
  if (getMode() != Mode::Batching) {
    prefix = kind;
    kind = getMode() == Mode::Free ? getLhsFreeDims()
                                   : SmallVector<int64_t>(dims.getLhsContractingDimensions());
  }
  for (int64_t d : kind) {
    if (d == getRaggedDim())
      break;
    prefix.push_back(d);
  }
  return prefix;
}

/// Checks the lists of dimensions.
static LogicalResult checkNumbers(const Refusal &refuse, RaggedDotDimensionNumbersAttr dims,
                                  RankedTensorType lhs, RankedTensorType rhs) {
  auto check = [&](StringRef what, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting,
                   int64_t rank) {
    SmallVector<int64_t> all(batching);
    llvm::append_range(all, contracting);
    return stablehlo::checkDims(refuse, "batching and contracting dimensions", all, what, rank);
  };
  if (failed(check("lhs", dims.getLhsBatchingDimensions(), dims.getLhsContractingDimensions(),
                   lhs.getRank())) ||
      failed(check("rhs", dims.getRhsBatchingDimensions(), dims.getRhsContractingDimensions(),
                   rhs.getRank())))
    return failure();
  for (auto [kind, left, right] :
       {std::tuple("batching", dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions()),
        std::tuple("contracting", dims.getLhsContractingDimensions(),
                   dims.getRhsContractingDimensions())}) {
    if (left.size() != right.size())
      return refuse("requires as many ", kind, " dimensions of lhs as of rhs, but they are ",
                    stablehlo::toText(left), " and ", stablehlo::toText(right));
    for (auto [a, b] : llvm::zip_equal(left, right))
      if (!stablehlo::areCompatibleSizes(lhs.getDimSize(a), rhs.getDimSize(b)))
        return refuse(kind, " dimension ", a, " of lhs has size ", lhs.getDimSize(a),
                      ", but its counterpart ", b, " of rhs has size ", rhs.getDimSize(b));
  }
  ArrayRef<int64_t> ragged = dims.getLhsRaggedDimensions();
  if (ragged.size() != 1)
    return refuse("requires one ragged dimension, but they are ", stablehlo::toText(ragged));
  return stablehlo::checkDims(refuse, "lhs_ragged_dimensions", ragged, "lhs", lhs.getRank());
}

/// Checks the group dimension, and `group_sizes`.
static LogicalResult checkGroups(const Refusal &refuse, RaggedDotOp op) {
  RankedTensorType rhs = typeOf(op.getRhs()), sizes = typeOf(op.getGroupSizes());
  RaggedDotDimensionNumbersAttr dims = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> group = dims.getRhsGroupDimensions();
  size_t expected = op.getMode() == RaggedDotOp::Mode::Free ? 1 : 0;
  if (group.size() != expected)
    return refuse("requires ", expected, " group dimensions, but they are ",
                  stablehlo::toText(group));
  SmallVector<int64_t> taken(dims.getRhsBatchingDimensions());
  llvm::append_range(taken, dims.getRhsContractingDimensions());
  if (failed(stablehlo::checkDims(refuse, "rhs_group_dimensions", group, "rhs", rhs.getRank())) ||
      failed(stablehlo::checkDisjoint(refuse, "rhs_group_dimensions", group,
                                      "batching and contracting dimensions", taken)))
    return failure();
  if (sizes.getRank() == 0)
    return refuse("requires group_sizes with a dimension");
  int64_t count = sizes.getShape().back();
  if (!group.empty() && !stablehlo::areCompatibleSizes(count, rhs.getDimSize(group.front())))
    return refuse("requires a group dimension of as many elements as groups, ", count,
                  ", but it has ", rhs.getDimSize(group.front()));
  SmallVector<int64_t> shape;
  for (int64_t d : op.getPrefixDims())
    shape.push_back(typeOf(op.getLhs()).getDimSize(d));
  shape.push_back(count);
  if (sizes.getRank() != 1 && !stablehlo::areCompatibleShapes(sizes.clone(shape), sizes))
    return refuse("requires group_sizes of shape ", stablehlo::toText(shape), ", but they are ",
                  sizes);
  return success();
}

LogicalResult RaggedDotOp::verify() {
  Refusal refuse(*this);
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()), result = typeOf(getResult());
  if (failed(checkNumbers(refuse, dims, lhs, rhs)) || failed(checkGroups(refuse, *this)))
    return failure();
  SmallVector<int64_t> shape;
  if (getMode() == Mode::Contracting)
    shape.push_back(typeOf(getGroupSizes()).getShape().back());
  for (int64_t d : dims.getLhsBatchingDimensions())
    shape.push_back(lhs.getDimSize(d));
  for (int64_t d : getLhsFreeDims())
    shape.push_back(lhs.getDimSize(d));
  for (int64_t d : getRhsFreeDims())
    shape.push_back(rhs.getDimSize(d));
  if (!stablehlo::areCompatibleShapes(result.clone(shape), result))
    return refuse("requires a result of type ", result.clone(shape), ", but it is ", result);
  if (ArrayAttr config = getPrecisionConfigAttr(); config && config.size() > 2)
    return refuse("precision_config has ", config.size(), " entries, but there are 2 operands");
  return stablehlo::checkSameKind(refuse, lhs, rhs, result);
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

void ScanOp::print(OpAsmPrinter &p) {
  p << '(' << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension();
  StringRef hidden[] = {"operandSegmentSizes", "resultSegmentSizes", getDimensionAttrName()};
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), hidden);
  p << ' ';
  p.printRegion(getBody());
  p << " : ";
  p.printFunctionalType(*this);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  IntegerAttr dimension;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") || parser.parseOperandList(inits, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseAttribute(dimension, parser.getBuilder().getI64Type()) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type))
    return failure();
  auto carried = static_cast<int32_t>(inits.size());
  auto outputs = static_cast<int32_t>(type.getNumResults()) - carried;
  if (outputs < 0)
    return parser.emitError(loc) << "requires a result for each of " << carried << " inits";
  auto inputCount = static_cast<int32_t>(inputs.size());
  inputs.append(inits);
  if (parser.resolveOperands(inputs, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  auto &properties = result.getOrAddProperties<Properties>();
  properties.dimension = dimension;
  properties.operandSegmentSizes = {inputCount, carried};
  properties.resultSegmentSizes = {outputs, carried};
  return success();
}

int64_t ScanOp::getLength() {
  if (getScanDimSize())
    return *getScanDimSize();
  for (ValueRange values : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Value value : values)
      if (int64_t size = typeOf(value).getDimSize(getDimension()); ShapedType::isStatic(size))
        return size;
  return ShapedType::kDynamic;
}

LogicalResult ScanOp::verify() {
  Refusal refuse(*this);
  int64_t dim = getDimension();
  if (getInputs().empty() && getOutputs().empty())
    return refuse("requires an input or an output");
  if (getInputs().empty() && !getScanDimSize())
    return refuse("requires scan_dim_size, as there are no inputs");
  if (getInits().size() != getCarries().size())
    return refuse("requires as many carries as inits, but there are ", getCarries().size(), " and ",
                  getInits().size());
  for (ValueRange values : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Value value : values)
      if (dim >= typeOf(value).getRank())
        return refuse("dimension ", dim, " is out of range for ", value.getType());
  for (ValueRange values : {ValueRange(getInputs()), ValueRange(getOutputs())})
    for (Value value : values)
      if (!stablehlo::areCompatibleSizes(typeOf(value).getDimSize(dim), getLength()))
        return refuse("requires ", getLength(), " elements along dimension ", dim,
                      ", but there are ", typeOf(value).getDimSize(dim));
  return success();
}

/// The types of the elements at one index along `dim`.
static void appendElements(SmallVectorImpl<Type> &types, ValueRange values, int64_t dim) {
  for (Value value : values) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.erase(shape.begin() + dim);
    types.push_back(typeOf(value).clone(shape));
  }
}

LogicalResult ScanOp::verifyRegions() {
  Refusal refuse(*this);
  SmallVector<Type> arguments, returned;
  appendElements(arguments, getInputs(), getDimension());
  llvm::append_range(arguments, getInits().getTypes());
  appendElements(returned, getOutputs(), getDimension());
  llvm::append_range(returned, getCarries().getTypes());
  Block &body = getBody().front();
  if (!stablehlo::areCompatibleTypes(body.getArgumentTypes(), arguments))
    return refuse("requires a body of arguments (", TypeRange(arguments), "), but they are (",
                  TypeRange(body.getArgumentTypes()), ")");
  if (TypeRange types = body.getTerminator()->getOperandTypes();
      !stablehlo::areCompatibleTypes(types, returned))
    return refuse("requires a body that returns (", TypeRange(returned), "), but it returns (",
                  types, ")");
  return success();
}
