// Parsing, printing and verification of the StableHLO attributes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole::stablehlo;

#include "dialects/StableHLO/StableHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"

namespace {

ParseResult parseBounds(AsmParser &parser, AsmParser::Delimiter delimiter,
                        SmallVectorImpl<int64_t> &bounds) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    if (failed(parser.parseOptionalQuestion()))
      return parser.parseInteger(bounds.emplace_back());
    bounds.push_back(ShapedType::kDynamic);
    return success();
  });
}

/// Bounds are an encoding of tensors, with an entry for each dimension.
struct BoundsEncoding : public VerifiableTensorEncoding::ExternalModel<BoundsEncoding, BoundsAttr> {
  LogicalResult verifyEncoding(Attribute encoding, ArrayRef<int64_t> shape, Type,
                               function_ref<InFlightDiagnostic()> emitError) const {
    ArrayRef<int64_t> bounds = cast<BoundsAttr>(encoding).getBounds();
    if (bounds.size() != shape.size())
      return emitError() << "there are " << bounds.size() << " bounds for " << shape.size()
                         << " dimensions";
    for (auto [dim, size, bound] : llvm::enumerate(shape, bounds)) {
      if (ShapedType::isDynamic(bound))
        continue;
      if (ShapedType::isStatic(size))
        return emitError() << "dimension " << dim << " has size " << size << " and a bound";
      if (bound < 0)
        return emitError() << "dimension " << dim << " has the bound " << bound;
    }
    return success();
  }
};

/// Parses bounds by their former name, `type_extensions<bounds = [4, ?]>`.
Attribute parseTypeExtensions(DialectAsmParser &parser) {
  SmallVector<int64_t> bounds;
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual() ||
      parseBounds(parser, AsmParser::Delimiter::Square, bounds) || parser.parseGreater())
    return {};
  return BoundsAttr::get(parser.getContext(), bounds);
}

} // namespace

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef name;
  Attribute attribute;
  SMLoc loc = parser.getCurrentLocation();
  if (OptionalParseResult result = generatedAttributeParser(parser, &name, type, attribute);
      result.has_value())
    return attribute;
  if (name == "type_extensions")
    return parseTypeExtensions(parser);
  parser.emitError(loc) << "unknown attribute `" << name << "` in dialect `" << getNamespace()
                        << "`";
  return {};
}

void StableHLODialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

void StableHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"
      >();
  BoundsAttr::attachInterface<BoundsEncoding>(*getContext());
}

//===----------------------------------------------------------------------===//
// Structures of dimension numbers: `<name = [0, 1], other = 2>`
//===----------------------------------------------------------------------===//

ParseResult systole::stablehlo::parseFields(AsmParser &parser, ArrayRef<Field> fields,
                                            AsmParser::Delimiter delimiter) {
  SmallVector<bool> seen(fields.size(), false);
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    const Field *field = llvm::find_if(fields, [&](const Field &f) { return f.name == keyword; });
    if (field == fields.end()) {
      InFlightDiagnostic error = parser.emitError(loc)
                                 << "unknown field '" << keyword << "', expected one of ";
      llvm::interleaveComma(fields, error, [&](const Field &f) { error << f.name; });
      return error;
    }
    if (std::exchange(seen[field - fields.begin()], true))
      return parser.emitError(loc) << "field '" << keyword << "' is given twice";
    if (field->number)
      return parser.parseInteger(*field->number);
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(field->list->emplace_back());
    });
  };
  if (delimiter != AsmParser::Delimiter::LessGreater)
    return parser.parseCommaSeparatedList(delimiter, parseField);
  // Producers may write a comma after the last field, too.
  if (parser.parseLess())
    return failure();
  while (failed(parser.parseOptionalGreater())) {
    if (parseField())
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

namespace {
/// Prints `<...>`, leaving out empty lists and zeros.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &p) : p(p) { p << '<'; }
  ~FieldPrinter() { p << '>'; }

  FieldPrinter &field(StringRef name, ArrayRef<int64_t> list) {
    if (list.empty())
      return *this;
    begin(name) << '[';
    llvm::interleaveComma(list, p.getStream());
    p << ']';
    return *this;
  }
  FieldPrinter &field(StringRef name, int64_t number) {
    if (number != 0)
      begin(name) << number;
    return *this;
  }

private:
  AsmPrinter &begin(StringRef name) {
    if (!std::exchange(first, false))
      p << ", ";
    return p << name << " = ";
  }
  AsmPrinter &p;
  bool first = true;
};
} // namespace

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (parseFields(parser, {{"lhs_batching_dimensions", &lhsBatching},
                           {"rhs_batching_dimensions", &rhsBatching},
                           {"lhs_contracting_dimensions", &lhsContracting},
                           {"rhs_contracting_dimensions", &rhsContracting}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter(p)
      .field("lhs_batching_dimensions", getLhsBatchingDimensions())
      .field("rhs_batching_dimensions", getRhsBatchingDimensions())
      .field("lhs_contracting_dimensions", getLhsContractingDimensions())
      .field("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  if (parseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &operandBatching},
                           {"start_indices_batching_dims", &indicesBatching},
                           {"start_index_map", &map},
                           {"index_vector_dim", nullptr, &indexVectorDim}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, map,
             indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter(p)
      .field("offset_dims", getOffsetDims())
      .field("collapsed_slice_dims", getCollapsedSliceDims())
      .field("operand_batching_dims", getOperandBatchingDims())
      .field("start_indices_batching_dims", getStartIndicesBatchingDims())
      .field("start_index_map", getStartIndexMap())
      .field("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  if (parseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &inputBatching},
                           {"scatter_indices_batching_dims", &indicesBatching},
                           {"scatter_dims_to_operand_dims", &map},
                           {"index_vector_dim", nullptr, &indexVectorDim}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, map,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter(p)
      .field("update_window_dims", getUpdateWindowDims())
      .field("inserted_window_dims", getInsertedWindowDims())
      .field("input_batching_dims", getInputBatchingDims())
      .field("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .field("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .field("index_vector_dim", getIndexVectorDim());
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> output, operand;
  int64_t operandIndex = 0;
  if (parseFields(parser, {{"output_tuple_indices", &output},
                           {"operand_index", nullptr, &operandIndex},
                           {"operand_tuple_indices", &operand}}))
    return {};
  return get(parser.getContext(), output, operandIndex, operand);
}

void OutputOperandAliasAttr::print(AsmPrinter &p) const {
  auto list = [&](StringRef name, ArrayRef<int64_t> indices) {
    p << name << " = [";
    llvm::interleaveComma(indices, p.getStream());
    p << ']';
  };
  p << '<';
  list("output_tuple_indices", getOutputTupleIndices());
  p << ", operand_index = " << getOperandIndex() << ", ";
  list("operand_tuple_indices", getOperandTupleIndices());
  p << '>';
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The algorithms of the specification, by operand types, accumulation type and number of
/// products. Only those of 8-bit floats may be imprecise.
static bool isKnownAlgorithm(Type lhs, Type rhs, Type accumulation, int64_t operations,
                             bool isImprecise) {
  auto isFloat8 = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  };
  if (isFloat8(lhs) && isFloat8(rhs))
    return accumulation.isF32() && operations == 1;
  if (lhs != rhs || isImprecise)
    return false;
  if (lhs.isBF16() && accumulation.isF32())
    return llvm::is_contained({1, 3, 6, 9}, operations);
  if (lhs.isTF32())
    return accumulation.isF32() && (operations == 1 || operations == 3);
  bool isSame = accumulation == lhs && (lhs.isF16() || lhs.isBF16() || lhs.isF32() || lhs.isF64());
  return operations == 1 && (isSame || (lhs.isF16() && accumulation.isF32()));
}

LogicalResult DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       Type lhsPrecision, Type rhsPrecision, Type accumulation,
                                       int64_t lhsComponents, int64_t rhsComponents,
                                       int64_t operations, bool isImprecise) {
  auto checkType = [&](StringRef name, Type type) -> LogicalResult {
    if (type.isIntOrFloat())
      return success();
    return emitError() << name << " must be an integer or float type, but is " << type;
  };
  auto checkCount = [&](StringRef name, int64_t count) -> LogicalResult {
    if (count > 0)
      return success();
    return emitError() << name << " must be positive, but is " << count;
  };
  if (failed(checkType("lhs_precision_type", lhsPrecision)) ||
      failed(checkType("rhs_precision_type", rhsPrecision)) ||
      failed(checkType("accumulation_type", accumulation)) ||
      failed(checkCount("lhs_component_count", lhsComponents)) ||
      failed(checkCount("rhs_component_count", rhsComponents)))
    return failure();
  if (failed(checkCount("num_primitive_operations", operations)))
    return failure();
  if (lhsComponents == 1 && rhsComponents == 1 &&
      isKnownAlgorithm(lhsPrecision, rhsPrecision, accumulation, operations, isImprecise))
    return success();
  return emitError() << "is not an algorithm of any known hardware: " << operations
                     << " products of " << lhsPrecision << " x " << lhsComponents << " and "
                     << rhsPrecision << " x " << rhsComponents << ", summed in " << accumulation
                     << (isImprecise ? ", imprecisely" : "");
}

Attribute BoundsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parseBounds(parser, AsmParser::Delimiter::LessGreater, bounds))
    return {};
  return get(parser.getContext(), bounds);
}

void BoundsAttr::print(AsmPrinter &p) const {
  p << '<';
  llvm::interleaveComma(getBounds(), p.getStream(), [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      p << '?';
    else
      p << bound;
  });
  p << '>';
}

ResultAccuracyAttr ResultAccuracyAttr::get(MLIRContext *context, ResultAccuracyMode mode) {
  llvm::APFloat zero = llvm::APFloat::getZero(llvm::APFloat::IEEEdouble());
  return get(context, zero, zero, 0, ResultAccuracyModeAttr::get(context, mode));
}

LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         llvm::APFloat atol, llvm::APFloat rtol, int64_t ulps,
                                         ResultAccuracyModeAttr mode) {
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE &&
      !(atol.isZero() && rtol.isZero() && ulps == 0))
    return emitError() << "a tolerance needs mode TOLERANCE, but the mode is "
                       << stringifyResultAccuracyMode(mode.getValue());
  if (atol.isNegative() || atol.isNaN() || rtol.isNegative() || rtol.isNaN() || ulps < 0)
    return emitError() << "tolerances must not be negative or NaN, but are "
                       << "atol " << atol.convertToDouble() << ", rtol " << rtol.convertToDouble()
                       << ", ulps " << ulps;
  return success();
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0.0, rtol = 0.0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("atol")))
    if (parser.parseEqual() || parser.parseFloat(atol) || parser.parseComma())
      return {};
  if (succeeded(parser.parseOptionalKeyword("rtol")))
    if (parser.parseEqual() || parser.parseFloat(rtol) || parser.parseComma())
      return {};
  if (succeeded(parser.parseOptionalKeyword("ulps")))
    if (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma())
      return {};
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ResultAccuracyAttr>(loc, parser.getContext(), llvm::APFloat(atol),
                                               llvm::APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &p) const {
  p << '<';
  if (!getAtol().isZero()) {
    p << "atol = ";
    p.printFloat(getAtol());
    p << ", ";
  }
  if (!getRtol().isZero()) {
    p << "rtol = ";
    p.printFloat(getRtol());
    p << ", ";
  }
  if (getUlps() != 0)
    p << "ulps = " << getUlps() << ", ";
  p << "mode = " << getMode() << '>';
}

Precision systole::stablehlo::precisionOf(ArrayAttr config, unsigned operand) {
  if (!config || operand >= config.size())
    return Precision::DEFAULT;
  return cast<PrecisionAttr>(config[operand]).getValue();
}
