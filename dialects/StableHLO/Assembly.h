// The parts of StableHLO's textual syntax that need C++ code: the custom
// directives of the assembly formats in TableGen.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_ASSEMBLY_H
#define SYSTOLE_DIALECTS_STABLEHLO_ASSEMBLY_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole::stablehlo {

namespace detail {
void printSameType(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::TypeRange operands,
                   mlir::Type result);
mlir::ParseResult parseSameType(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> operands,
                                mlir::Type &result);
} // namespace detail

/// `tensor<4xf32>` when operands and result all have that type, else
/// `(tensor<f32>, tensor<4xf32>) -> tensor<4xf32>`. The last type is the result.
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &p, mlir::Operation *op, Types... types) {
  llvm::SmallVector<mlir::Type> all{types...};
  mlir::Type result = all.pop_back_val();
  detail::printSameType(p, op, all, result);
}
template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser, Types &...types) {
  llvm::SmallVector<mlir::Type *> all{&types...};
  mlir::Type *result = all.pop_back_val();
  return detail::parseSameType(parser, all, *result);
}

/// `tensor<4xcomplex<f32>>`: the result, whose parts the operands are; a function type where they
/// are not.
void printComplexType(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Type lhs, mlir::Type rhs,
                      mlir::Type result);
mlir::ParseResult parseComplexType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                   mlir::Type &result);

/// `tensor<4xi1>, tensor<4xf32>`: the predicate, then the type of all others; a
/// function type where they differ.
void printSelectType(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Type pred, mlir::Type onTrue,
                     mlir::Type onFalse, mlir::Type result);
mlir::ParseResult parseSelectType(mlir::OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue,
                                  mlir::Type &onFalse, mlir::Type &result);

/// `tensor<f32>, tensor<i32>`: the types of the operands and of the results.
void printPairwiseType(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::TypeRange operands,
                       mlir::TypeRange results);
mlir::ParseResult parsePairwiseType(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &operands,
                                    llvm::SmallVectorImpl<mlir::Type> &results);

/// `%a, %b,`: each operand followed by a comma, before a keyword.
void printOperandsThenComma(mlir::OpAsmPrinter &p, mlir::Operation *op,
                            mlir::OperandRange operands);
mlir::ParseResult
parseOperandsThenComma(mlir::OpAsmParser &parser,
                       llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);

/// `LT`: the bare name of an enumeration's value. The attribute's own format
/// would print a second space before it.
template <typename EnumAttr>
void printEnum(mlir::OpAsmPrinter &p, mlir::Operation *, EnumAttr attr) {
  p << attr.getValue();
}
template <typename EnumAttr>
mlir::ParseResult parseEnum(mlir::OpAsmParser &parser, EnumAttr &attr) {
  using Value = decltype(attr.getValue());
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  std::optional<Value> value = symbolizeEnum<Value>(keyword);
  if (!value)
    return parser.emitError(loc) << "'" << keyword << "' is not a value of "
                                 << EnumAttr::getMnemonic();
  attr = EnumAttr::get(parser.getContext(), *value);
  return mlir::success();
}

/// `[0:4, 1:8:2]`: start, limit and, unless it is 1, stride per dimension.
/// `e8m7`: bits of exponent and mantissa.
void printExponentMantissa(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser, mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);

void printSliceRanges(mlir::OpAsmPrinter &p, mlir::Operation *op, llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the first part
/// only where there are any.
void printDotDimensionNumbers(mlir::OpAsmPrinter &p, mlir::Operation *op,
                              DotDimensionNumbersAttr dims);
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser &parser,
                                           DotDimensionNumbersAttr &dims);

/// `, precision = [DEFAULT, HIGHEST]`, if there is one.
void printPrecisions(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::ArrayAttr precision);
mlir::ParseResult parsePrecisions(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision);

/// `tuple<tensor<4xf32>, tensor<i32>>`: the result, of whose elements the operands are.
void printTupleType(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::TypeRange operands,
                    mlir::Type result);
mlir::ParseResult parseTupleType(mlir::OpAsmParser &parser,
                                 llvm::SmallVectorImpl<mlir::Type> &operands, mlir::Type &result);

/// `, precision = [DEFAULT, HIGHEST], algorithm = <...>`, either or both.
void printPrecisionAndAlgorithm(mlir::OpAsmPrinter &p, mlir::Operation *op,
                                mlir::ArrayAttr precision, DotAlgorithmAttr algorithm);
mlir::ParseResult parsePrecisionAndAlgorithm(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm);

/// One entry of a structure of dimension numbers: a list of dimensions, or a single number.
struct Field {
  llvm::StringRef name;
  llvm::SmallVector<int64_t> *list = nullptr;
  int64_t *number = nullptr;
};
/// `<name = [0, 1], other = 2>`, or without the brackets: the fields in any order, each at most
/// once.
mlir::ParseResult
parseFields(mlir::AsmParser &parser, llvm::ArrayRef<Field> fields,
            mlir::AsmParser::Delimiter delimiter = mlir::AsmParser::Delimiter::LessGreater);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
void printConvolutionDimensions(mlir::OpAsmPrinter &p, mlir::Operation *op,
                                ConvDimensionNumbersAttr dims);
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser &parser,
                                             ConvDimensionNumbersAttr &dims);

/// `stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1],
/// reverse = [false, false]`; absent attributes are left out, and any order is parsed.
void printWindowAttributes(mlir::OpAsmPrinter &p, mlir::Operation *op,
                           mlir::DenseI64ArrayAttr strides, mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation, mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_ASSEMBLY_H
