// The textual syntax of convolutions: dimension numbers and windows.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace systole::stablehlo {

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of one operand or of the result, with letters for the two that are not spatial.
struct Dims {
  char firstLetter, secondLetter;
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial = {};

  /// The roles in order, if each is named once: the number of a spatial dimension,
  /// or -1 and -2.
  std::optional<SmallVector<int64_t>> places() const {
    int64_t rank = spatial.size() + 2;
    SmallVector<int64_t> result(rank, rank);
    auto put = [&](int64_t dim, int64_t what) {
      if (dim < 0 || dim >= rank || result[dim] != rank)
        return false;
      result[dim] = what;
      return true;
    };
    bool valid = put(first, -1) && put(second, -2);
    for (auto [number, dim] : llvm::enumerate(spatial))
      valid = valid && put(dim, number);
    return valid ? std::optional(result) : std::nullopt;
  }
};
} // namespace

static Dims imageOf(ConvDimensionNumbersAttr attr) {
  return {'b', 'f', attr.getInputBatchDimension(), attr.getInputFeatureDimension(),
          SmallVector<int64_t>(attr.getInputSpatialDimensions())};
}
static Dims kernelOf(ConvDimensionNumbersAttr attr) {
  return {'i', 'o', attr.getKernelInputFeatureDimension(), attr.getKernelOutputFeatureDimension(),
          SmallVector<int64_t>(attr.getKernelSpatialDimensions())};
}
static Dims resultOf(ConvDimensionNumbersAttr attr) {
  return {'b', 'f', attr.getOutputBatchDimension(), attr.getOutputFeatureDimension(),
          SmallVector<int64_t>(attr.getOutputSpatialDimensions())};
}

static void printDims(AsmPrinter &p, const Dims &dims) {
  p << '[';
  llvm::interleaveComma(*dims.places(), p.getStream(), [&](int64_t what) {
    if (what >= 0)
      p << what;
    else
      p << (what == -1 ? dims.firstLetter : dims.secondLetter);
  });
  p << ']';
}

/// `[b, 0, 1, f]`: both letters and the numbers from 0 on, each once.
static ParseResult parseDims(AsmParser &parser, Dims &dims) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> spatial; // number and position
  int64_t place = 0;
  auto parseOne = [&]() -> ParseResult {
    SMLoc here = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      spatial.push_back({number, place++});
      return success();
    }
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    int64_t *dim = letter == StringRef(&dims.firstLetter, 1)    ? &dims.first
                   : letter == StringRef(&dims.secondLetter, 1) ? &dims.second
                                                                : nullptr;
    if (!dim)
      return parser.emitError(here) << "expected a number, '" << dims.firstLetter << "' or '"
                                    << dims.secondLetter << "', but got '" << letter << "'";
    if (*dim != -1)
      return parser.emitError(here) << "'" << letter << "' is given twice";
    *dim = place++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  if (dims.first == -1 || dims.second == -1)
    return parser.emitError(loc) << "expected '" << dims.firstLetter << "' and '"
                                 << dims.secondLetter << "' among the dimensions";
  llvm::sort(spatial);
  for (auto [number, entry] : llvm::enumerate(spatial)) {
    if (entry.first != static_cast<int64_t>(number))
      return parser.emitError(loc)
             << "expected the spatial dimensions 0 to " << spatial.size() - 1 << ", each once";
    dims.spatial.push_back(entry.second);
  }
  return success();
}

static ParseResult parseThree(AsmParser &parser, ConvDimensionNumbersAttr &attr) {
  Dims image{'b', 'f'}, kernel{'i', 'o'}, result{'b', 'f'};
  if (parseDims(parser, image) || parser.parseKeyword("x") || parseDims(parser, kernel) ||
      parser.parseArrow() || parseDims(parser, result))
    return failure();
  attr = ConvDimensionNumbersAttr::get(parser.getContext(), image.first, image.second,
                                       image.spatial, kernel.first, kernel.second, kernel.spatial,
                                       result.first, result.second, result.spatial);
  return success();
}

static void printThree(AsmPrinter &p, ConvDimensionNumbersAttr attr) {
  printDims(p, imageOf(attr));
  p << 'x';
  printDims(p, kernelOf(attr));
  p << "->";
  printDims(p, resultOf(attr));
}

static bool hasPlaces(ConvDimensionNumbersAttr attr) {
  return imageOf(attr).places() && kernelOf(attr).places() && resultOf(attr).places();
}

namespace {
/// The numbers of both operands and the result, by their names in the raw form.
struct RawNumbers {
  Dims image{'b', 'f', 0, 0}, kernel{'i', 'o', 0, 0}, result{'b', 'f', 0, 0};

  SmallVector<Field> fields() {
    return {{"input_batch_dimension", nullptr, &image.first},
            {"input_feature_dimension", nullptr, &image.second},
            {"input_spatial_dimensions", &image.spatial},
            {"kernel_input_feature_dimension", nullptr, &kernel.first},
            {"kernel_output_feature_dimension", nullptr, &kernel.second},
            {"kernel_spatial_dimensions", &kernel.spatial},
            {"output_batch_dimension", nullptr, &result.first},
            {"output_feature_dimension", nullptr, &result.second},
            {"output_spatial_dimensions", &result.spatial}};
  }
};
} // namespace

/// `input_batch_dimension = 0, ...` up to `>`.
static ConvDimensionNumbersAttr parseRaw(AsmParser &parser) {
  RawNumbers numbers;
  if (parseFields(parser, numbers.fields(), AsmParser::Delimiter::None))
    return {};
  return ConvDimensionNumbersAttr::get(
      parser.getContext(), numbers.image.first, numbers.image.second, numbers.image.spatial,
      numbers.kernel.first, numbers.kernel.second, numbers.kernel.spatial, numbers.result.first,
      numbers.result.second, numbers.result.spatial);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr attr;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw"))) {
    attr = parseRaw(parser);
    if (!attr)
      return {};
  } else if (parseThree(parser, attr)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return attr;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &p) const {
  p << '<';
  if (hasPlaces(*this)) {
    printThree(p, *this);
  } else {
    RawNumbers numbers{imageOf(*this), kernelOf(*this), resultOf(*this)};
    p << "raw ";
    llvm::interleaveComma(numbers.fields(), p.getStream(), [&](const Field &field) {
      p << field.name << " = ";
      if (field.number) {
        p << *field.number;
        return;
      }
      p << '[';
      llvm::interleaveComma(*field.list, p.getStream());
      p << ']';
    });
  }
  p << '>';
}

/// On an operation that does not verify, the attribute itself is printed.
void printConvolutionDimensions(OpAsmPrinter &p, Operation *, ConvDimensionNumbersAttr dims) {
  if (hasPlaces(dims))
    printThree(p, dims);
  else
    p << dims;
}

ParseResult parseConvolutionDimensions(OpAsmParser &parser, ConvDimensionNumbersAttr &dims) {
  return parseThree(parser, dims);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void printWindowAttributes(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name) { p << std::exchange(separator, ", ") << name << " = ["; };
  auto list = [&](StringRef name, DenseI64ArrayAttr values) {
    if (!values)
      return;
    begin(name);
    llvm::interleaveComma(values.asArrayRef(), p);
    p << ']';
  };
  list("stride", strides);
  if (padding) {
    begin("pad");
    auto amounts = llvm::to_vector(padding.getValues<int64_t>());
    llvm::interleaveComma(llvm::seq<size_t>(0, amounts.size() / 2), p, [&](size_t i) {
      p << '[' << amounts[2 * i] << ", " << amounts[2 * i + 1] << ']';
    });
    p << ']';
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), p,
                          [&](bool value) { p << (value ? "true" : "false"); });
    p << ']';
  }
}

/// `[[0, 1], [2, 3]]`
static ParseResult parsePadding(OpAsmParser &parser, DenseIntElementsAttr &padding) {
  SmallVector<int64_t> amounts;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLSquare() || parser.parseInteger(amounts.emplace_back()) ||
                   parser.parseComma() || parser.parseInteger(amounts.emplace_back()) ||
                   parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type = RankedTensorType::get({static_cast<int64_t>(amounts.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, amounts);
  return success();
}

static ParseResult parseReversal(OpAsmParser &parser, DenseBoolArrayAttr &reversal) {
  SmallVector<bool> values;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true")))
      values.push_back(true);
    else if (succeeded(parser.parseOptionalKeyword("false")))
      values.push_back(false);
    else {
      // Producers also write 0 and 1.
      int64_t number;
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseInteger(number))
        return failure();
      if (number != 0 && number != 1)
        return parser.emitError(loc) << "expected true or false";
      values.push_back(number);
    }
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding, DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation, DenseBoolArrayAttr &reversal) {
  auto parseList = [&](DenseI64ArrayAttr &list) -> ParseResult {
    SmallVector<int64_t> values;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(values.emplace_back()); }))
      return failure();
    list = parser.getBuilder().getDenseI64ArrayAttr(values);
    return success();
  };
  llvm::StringSet<> seen;
  auto parseOne = [&](StringRef name, SMLoc loc) -> ParseResult {
    if (!seen.insert(name).second)
      return parser.emitError(loc) << "'" << name << "' is given twice";
    if (parser.parseEqual())
      return failure();
    if (name == "stride")
      return parseList(strides);
    if (name == "pad")
      return parsePadding(parser, padding);
    if (name == "lhs_dilate")
      return parseList(lhsDilation);
    if (name == "rhs_dilate")
      return parseList(rhsDilation);
    if (name == "reverse")
      return parseReversal(parser, reversal);
    return parser.emitError(loc) << "'" << name
                                 << "' is no attribute of a window: expected stride, "
                                    "pad, lhs_dilate, rhs_dilate or reverse";
  };
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return success();
  while (true) {
    if (parseOne(name, loc))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
  }
}

} // namespace systole::stablehlo
