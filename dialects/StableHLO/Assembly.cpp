// The parts of StableHLO's textual syntax that need C++ code.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Spreads a function type over the types of an operation with one result.
static ParseResult spreadFunctionType(OpAsmParser &parser, SMLoc loc, FunctionType type,
                                      ArrayRef<Type *> operands, Type &result) {
  if (type.getNumInputs() != operands.size() || type.getNumResults() != 1)
    return parser.emitError(loc) << "expected a function type with " << operands.size()
                                 << " inputs and 1 result, but got " << type;
  for (auto [operand, input] : llvm::zip_equal(operands, type.getInputs()))
    *operand = input;
  result = type.getResult(0);
  return success();
}

void detail::printSameType(OpAsmPrinter &p, Operation *op, TypeRange operands, Type result) {
  if (llvm::all_equal(operands) && operands.front() == result)
    p << result;
  else
    p.printFunctionalType(op);
}

ParseResult detail::parseSameType(OpAsmParser &parser, ArrayRef<Type *> operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spreadFunctionType(parser, loc, function, operands, result);
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

void printComplexType(OpAsmPrinter &p, Operation *op, Type lhs, Type rhs, Type result) {
  auto part = cast<RankedTensorType>(lhs);
  if (lhs == rhs && result == part.clone(mlir::ComplexType::get(part.getElementType())))
    p << result;
  else
    p.printFunctionalType(op);
}

ParseResult parseComplexType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spreadFunctionType(parser, loc, function, {&lhs, &rhs}, result);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  if (!complex)
    return parser.emitError(loc) << "expected a tensor of complex numbers, but got " << type;
  lhs = rhs = tensor.clone(complex.getElementType());
  result = type;
  return success();
}

void printSelectType(OpAsmPrinter &p, Operation *op, Type pred, Type onTrue, Type onFalse,
                     Type result) {
  if (onTrue == result && onFalse == result)
    p << pred << ", " << result;
  else
    p.printFunctionalType(op);
}

ParseResult parseSelectType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                            Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spreadFunctionType(parser, loc, function, {&pred, &onTrue, &onFalse}, result);
  pred = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void printPairwiseType(OpAsmPrinter &p, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, p);
}

ParseResult parsePairwiseType(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                              SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

void printOperandsThenComma(OpAsmPrinter &p, Operation *, OperandRange operands) {
  llvm::interleaveComma(operands, p);
  if (!operands.empty())
    p << ',';
}

ParseResult parseOperandsThenComma(OpAsmParser &parser,
                                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult present = parser.parseOptionalOperand(operand);
    if (!present.has_value())
      return success();
    if (failed(*present) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printExponentMantissa(OpAsmPrinter &p, Operation *, IntegerAttr exponent,
                           IntegerAttr mantissa) {
  p << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format))
    return failure();
  int32_t exponentBits, mantissaBits;
  StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits))
    return parser.emitError(loc) << "expected a format such as e5m2, found '" << format << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printSliceRanges(OpAsmPrinter &p, Operation *, ArrayRef<int64_t> starts,
                      ArrayRef<int64_t> limits, ArrayRef<int64_t> strides) {
  // An op that does not verify may have arrays of different lengths.
  size_t rank = std::min({starts.size(), limits.size(), strides.size()});
  p << '[';
  llvm::interleaveComma(llvm::seq<size_t>(0, rank), p, [&](size_t i) {
    p << starts[i] << ':' << limits[i];
    if (strides[i] != 1)
      p << ':' << strides[i];
  });
  p << ']';
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

static void printDims(OpAsmPrinter &p, ArrayRef<int64_t> dims) {
  p << '[';
  llvm::interleaveComma(dims, p);
  p << ']';
}

static ParseResult parseDims(OpAsmParser &parser, SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}

void printDotDimensionNumbers(OpAsmPrinter &p, Operation *, DotDimensionNumbersAttr dims) {
  auto printPair = [&](StringRef keyword, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    p << keyword << " = ";
    printDims(p, lhs);
    p << " x ";
    printDims(p, rhs);
  };
  if (!dims.getLhsBatchingDimensions().empty() || !dims.getRhsBatchingDimensions().empty()) {
    printPair("batching_dims", dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions());
    p << ", ";
  }
  printPair("contracting_dims", dims.getLhsContractingDimensions(),
            dims.getRhsContractingDimensions());
}

ParseResult parseDotDimensionNumbers(OpAsmParser &parser, DotDimensionNumbersAttr &dims) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parser.parseEqual() || parseDims(parser, lhsBatching) || parser.parseKeyword("x") ||
        parseDims(parser, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parseDims(parser, lhsContracting) || parser.parseKeyword("x") ||
      parseDims(parser, rhsContracting))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
                                      rhsContracting);
  return success();
}

void printPrecisions(OpAsmPrinter &p, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  p << ", precision = [";
  llvm::interleaveComma(precision, p,
                        [&](Attribute entry) { p << cast<PrecisionAttr>(entry).getValue(); });
  p << ']';
}

/// `= [DEFAULT, HIGHEST]`.
static ParseResult parsePrecisionList(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> entries;
  auto parseEntry = [&]() -> ParseResult {
    PrecisionAttr entry;
    if (parseEnum(parser, entry))
      return failure();
    entries.push_back(entry);
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  precision = parser.getBuilder().getArrayAttr(entries);
  return success();
}

ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") || parsePrecisionList(parser, precision));
}

void printTupleType(OpAsmPrinter &p, Operation *, TypeRange, Type result) { p << result; }

ParseResult parseTupleType(OpAsmParser &parser, SmallVectorImpl<Type> &operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc) << "expected a tuple, but found " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printPrecisionAndAlgorithm(OpAsmPrinter &p, Operation *op, ArrayAttr precision,
                                DotAlgorithmAttr algorithm) {
  printPrecisions(p, op, precision);
  if (algorithm) {
    p << ", algorithm = ";
    p.printStrippedAttrOrType(algorithm);
  }
}

ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    if (!precision && !algorithm && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisionList(parser, precision))
        return failure();
    } else if (!algorithm && succeeded(parser.parseOptionalKeyword("algorithm"))) {
      if (parser.parseEqual())
        return failure();
      algorithm = dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, Type()));
      if (!algorithm)
        return failure();
    } else {
      return parser.emitError(loc, "expected 'precision' or 'algorithm', in "
                                   "this order and each once");
    }
  }
  return success();
}

} // namespace systole::stablehlo
