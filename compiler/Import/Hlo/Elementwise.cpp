// Elementwise operations of HLO, and those without operands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Literals.h"
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Types.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::hlo {

namespace {

FailureOr<Values> buildPlain(Emitter &emitter, const Node &node) {
  return emitter.make(node, node.opcode.becomes, node.leaves());
}

/// Functions with a configurable result accuracy.
FailureOr<Values> buildAccurate(Emitter &emitter, const Node &node) {
  const ResultAccuracy &accuracy = node.proto.result_accuracy();
  using stablehlo::ResultAccuracyAttr, stablehlo::ResultAccuracyMode,
      stablehlo::ResultAccuracyModeAttr;
  MLIRContext *context = emitter.context();
  Attribute made;
  if (accuracy.has_tolerance()) {
    const ResultAccuracy::Tolerance &tolerance = accuracy.tolerance();
    made = ResultAccuracyAttr::getChecked(
        [&] { return emitter.error(node); }, context, APFloat(tolerance.atol()),
        APFloat(tolerance.rtol()), tolerance.ulps(),
        ResultAccuracyModeAttr::get(context, ResultAccuracyMode::TOLERANCE));
    if (!made)
      return failure();
  } else if (accuracy.mode() == 1) {
    made = ResultAccuracyAttr::get(context, ResultAccuracyMode::HIGHEST);
  } else if (accuracy.mode() != 0) {
    return emitter.error(node) << "result accuracy " << accuracy.mode() << " is not known";
  } else {
    return buildPlain(emitter, node);
  }
  return emitter.make(node, node.opcode.becomes, node.leaves(),
                      emitter.builder.getNamedAttr("result_accuracy", made));
}

FailureOr<Values> buildCompare(Emitter &emitter, const Node &node) {
  using namespace stablehlo;
  auto direction = symbolizeComparisonDirection(node.proto.comparison_direction());
  if (!direction)
    return emitter.error(node) << "comparison direction '" << node.proto.comparison_direction()
                               << "' is not known";
  MLIRContext *context = emitter.context();
  SmallVector<NamedAttribute> attributes = {emitter.builder.getNamedAttr(
      "comparison_direction", ComparisonDirectionAttr::get(context, *direction))};
  if (const std::string &name = node.proto.comparison_type(); !name.empty()) {
    auto type = symbolizeComparisonType(name);
    if (!type)
      return emitter.error(node) << "comparison type '" << name << "' is not known";
    attributes.push_back(
        emitter.builder.getNamedAttr("compare_type", ComparisonTypeAttr::get(context, *type)));
  }
  return emitter.make(node, "stablehlo.compare", node.leaves(), attributes);
}

FailureOr<Values> buildReducePrecision(Emitter &emitter, const Node &node) {
  Builder &b = emitter.builder;
  return emitter.make(
      node, "stablehlo.reduce_precision", node.leaves(),
      {b.getNamedAttr("exponent_bits", b.getI32IntegerAttr(node.proto.exponent_bits())),
       b.getNamedAttr("mantissa_bits", b.getI32IntegerAttr(node.proto.mantissa_bits()))});
}

FailureOr<Values> buildIota(Emitter &emitter, const Node &node) {
  if (node.proto.dimensions_size() != 1)
    return emitter.error(node) << "expects one dimension";
  Builder &b = emitter.builder;
  return emitter.make(
      node, "stablehlo.iota", {},
      b.getNamedAttr("iota_dimension", b.getI64IntegerAttr(node.proto.dimensions(0))));
}

LogicalResult appendConstants(Emitter &emitter, const Node &node, const LiteralProto &literal,
                              Values &values) {
  if (literal.shape().element_type() == kTuple) {
    for (const LiteralProto &part : literal.tuple_literals())
      if (failed(appendConstants(emitter, node, part, values)))
        return failure();
    return success();
  }
  DenseElementsAttr elements;
  if (values.size() < node.types.size())
    if (auto type = dyn_cast<RankedTensorType>(node.types[values.size()]))
      elements = constantFrom(literal, type);
  if (!elements)
    return emitter.error(node) << "its literal does not fit its shape";
  FailureOr<Value> made = emitter.makeOne(node, "stablehlo.constant", {}, elements.getType(),
                                          emitter.builder.getNamedAttr("value", elements));
  if (failed(made))
    return failure();
  values.push_back(*made);
  return success();
}

FailureOr<Values> buildConstant(Emitter &emitter, const Node &node) {
  Values values;
  if (failed(appendConstants(emitter, node, node.proto.literal(), values)))
    return failure();
  return values;
}

constexpr Opcode unary(StringLiteral name, StringLiteral becomes) {
  return {name, buildPlain, 1, 0, becomes};
}
constexpr Opcode accurate(StringLiteral name, StringLiteral becomes) {
  return {name, buildAccurate, 1, 0, becomes};
}
constexpr Opcode binary(StringLiteral name, StringLiteral becomes) {
  return {name, buildPlain, 2, 0, becomes};
}

constexpr Opcode kOpcodes[] = {
    unary("abs", "stablehlo.abs"),
    unary("acos", "chlo.acos"),
    unary("acosh", "chlo.acosh"),
    binary("add", "stablehlo.add"),
    binary("and", "stablehlo.and"),
    unary("asin", "chlo.asin"),
    unary("asinh", "chlo.asinh"),
    unary("atan", "chlo.atan"),
    binary("atan2", "stablehlo.atan2"),
    unary("atanh", "chlo.atanh"),
    unary("bitcast-convert", "stablehlo.bitcast_convert"),
    accurate("cbrt", "stablehlo.cbrt"),
    unary("ceil", "stablehlo.ceil"),
    {"clamp", buildPlain, 3, 0, "stablehlo.clamp"},
    {"compare", buildCompare, 2},
    binary("complex", "stablehlo.complex"),
    {"constant", buildConstant, 0},
    unary("convert", "stablehlo.convert"),
    accurate("cosine", "stablehlo.cosine"),
    unary("cosh", "chlo.cosh"),
    unary("count-leading-zeros", "stablehlo.count_leading_zeros"),
    binary("divide", "stablehlo.divide"),
    unary("erf", "chlo.erf"),
    accurate("exponential", "stablehlo.exponential"),
    accurate("exponential-minus-one", "stablehlo.exponential_minus_one"),
    unary("floor", "stablehlo.floor"),
    unary("imag", "stablehlo.imag"),
    {"iota", buildIota, 0},
    unary("is-finite", "stablehlo.is_finite"),
    accurate("log", "stablehlo.log"),
    accurate("log-plus-one", "stablehlo.log_plus_one"),
    accurate("logistic", "stablehlo.logistic"),
    binary("maximum", "stablehlo.maximum"),
    binary("minimum", "stablehlo.minimum"),
    binary("mulhi", "chlo.mulhi"),
    binary("multiply", "stablehlo.multiply"),
    unary("negate", "stablehlo.negate"),
    unary("not", "stablehlo.not"),
    binary("or", "stablehlo.or"),
    // The emitter maps parameters to arguments.
    {"parameter", buildPlain, 0},
    unary("popcnt", "stablehlo.popcnt"),
    binary("power", "stablehlo.power"),
    unary("real", "stablehlo.real"),
    {"reduce-precision", buildReducePrecision},
    binary("remainder", "stablehlo.remainder"),
    unary("round-nearest-afz", "stablehlo.round_nearest_afz"),
    unary("round-nearest-even", "stablehlo.round_nearest_even"),
    accurate("rsqrt", "stablehlo.rsqrt"),
    {"select", buildPlain, 3, 0, "stablehlo.select"},
    binary("shift-left", "stablehlo.shift_left"),
    binary("shift-right-arithmetic", "stablehlo.shift_right_arithmetic"),
    binary("shift-right-logical", "stablehlo.shift_right_logical"),
    unary("sign", "stablehlo.sign"),
    accurate("sine", "stablehlo.sine"),
    unary("sinh", "chlo.sinh"),
    accurate("sqrt", "stablehlo.sqrt"),
    binary("subtract", "stablehlo.subtract"),
    accurate("tan", "stablehlo.tan"),
    accurate("tanh", "stablehlo.tanh"),
    binary("xor", "stablehlo.xor"),
};

} // namespace

ArrayRef<Opcode> elementwiseOpcodes() { return kOpcodes; }

} // namespace systole::hlo
