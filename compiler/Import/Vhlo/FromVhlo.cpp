// Converts VHLO attributes and types to StableHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Vhlo/FromVhlo.h"

#include "compiler/Import/Elements.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {

using namespace coded;
using vhlo::VhloAttr;
using vhlo::VhloType;

FromVhlo::FromVhlo(MLIRContext *context)
    : context(context), dialect(context->getOrLoadDialect<vhlo::VhloDialect>()) {}

Type FromVhlo::type(Type vhlo) {
  auto coded = dyn_cast<VhloType>(vhlo);
  if (!coded)
    return vhlo;
  if (auto known = knownTypes.find(vhlo); known != knownTypes.end())
    return known->second;
  Type number = dialect->numberType(vhlo);
  Type result = number ? number : translate(coded.node());
  return knownTypes[vhlo] = result;
}

bool FromVhlo::types(ArrayRef<Type> vhlo, SmallVectorImpl<Type> &result) {
  for (Type each : vhlo)
    result.push_back(type(each));
  return !llvm::is_contained(result, Type());
}

Type FromVhlo::translate(const Node &node) {
  SmallVector<Type> parts;
  if (!types(node.types, parts))
    return {};
  StringRef kind = node.kind->name;
  // An invalid type, such as one with negative sizes, is reported where it is used.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  auto emitError = [this] { return mlir::emitError(UnknownLoc::get(context)); };
  if (kind == "complex_v1")
    return ComplexType::getChecked(emitError, parts[0]);
  if (kind == "func_v1") {
    ArrayRef<Type> inputs = ArrayRef(parts).take_front(node.ints[0]);
    return FunctionType::get(context, inputs, ArrayRef(parts).drop_front(inputs.size()));
  }
  if (kind == "tensor_v1")
    return RankedTensorType::getChecked(emitError, node.ints.drop_front(), parts[0],
                                        /*encoding=*/Attribute());
  if (kind == "encoded_tensor_v1")
    if (Attribute encoding = attribute(node.attributes[0]))
      return RankedTensorType::getChecked(emitError, node.ints.drop_front(), parts[0], encoding);
  if (kind == "future_v1")
    return stablehlo::FutureType::get(context, parts);
  if (kind == "unranked_tensor_v1")
    return UnrankedTensorType::getChecked(emitError, parts[0]);
  if (kind == "token_v1")
    return stablehlo::TokenType::get(context);
  if (kind == "quant_v1")
    return quant::UniformQuantizedType::getChecked(emitError, unsigned(node.ints[0]), parts[0],
                                                   parts[1], llvm::bit_cast<double>(node.ints[1]),
                                                   node.ints[2], node.ints[3], node.ints[4]);
  if (kind == "quant_per_axis_v1") {
    // Flags, axis, least and largest stored value, then both lists, each after its length.
    ArrayRef<int64_t> ints = node.ints;
    ArrayRef<int64_t> scales = ints.slice(5, ints[4]);
    ArrayRef<int64_t> zeroPoints = ints.drop_front(6 + scales.size());
    auto values =
        llvm::map_to_vector(scales, [](int64_t bits) { return llvm::bit_cast<double>(bits); });
    return quant::UniformQuantizedPerAxisType::getChecked(emitError, unsigned(ints[0]), parts[0],
                                                          parts[1], values, zeroPoints,
                                                          int32_t(ints[1]), ints[2], ints[3]);
  }
  if (kind == "tuple_v1")
    return TupleType::get(context, parts);
  return {};
}

Attribute FromVhlo::attribute(Attribute vhlo) {
  auto coded = dyn_cast_or_null<VhloAttr>(vhlo);
  if (!coded)
    return vhlo;
  if (auto known = knownAttributes.find(vhlo); known != knownAttributes.end())
    return known->second;
  Attribute result = translateAttribute(coded.node());
  return knownAttributes[vhlo] = result;
}

Attribute FromVhlo::attribute(Attribute vhlo, Form form) {
  Attribute result = attribute(vhlo);
  if (!result)
    return {};
  // A splat takes no bytes for each element; a list of them would.
  constexpr int64_t kMaxNumbers = 1 << 16;
  auto elements = dyn_cast<DenseElementsAttr>(result);
  if (elements && elements.getNumElements() > kMaxNumbers)
    elements = {};
  switch (form) {
  case Form::Symbol: {
    auto name = dyn_cast<StringAttr>(result);
    return name ? FlatSymbolRefAttr::get(name) : Attribute();
  }
  case Form::Symbols: {
    auto names = dyn_cast<ArrayAttr>(result);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return {};
    auto symbol = [](Attribute name) -> Attribute {
      return FlatSymbolRefAttr::get(cast<StringAttr>(name));
    };
    return ArrayAttr::get(context, llvm::map_to_vector(names, symbol));
  }
  case Form::Ints:
    if (!elements || !elements.getElementType().isSignlessInteger(64))
      return {};
    return DenseI64ArrayAttr::get(context, llvm::to_vector(elements.getValues<int64_t>()));
  case Form::Bools:
    if (!elements || !elements.getElementType().isSignlessInteger(1))
      return {};
    return DenseBoolArrayAttr::get(context, llvm::to_vector(elements.getValues<bool>()));
  case Form::Flag:
    return result == BoolAttr::get(context, true) ? UnitAttr::get(context) : result;
  case Form::Channel: {
    auto handle = dyn_cast_or_null<IntegerAttr>(result);
    if (!handle || handle.getValue().isZero())
      return result;
    return stablehlo::ChannelHandleAttr::get(context, handle.getValue().getSExtValue(),
                                             /*type=*/0);
  }
  default:
    return result;
  }
}

Attribute FromVhlo::translateEnum(const Node &node) {
  StringRef name = node.kind->cases[node.ints[0]];
  auto build = [&]<typename Attr>(auto value) -> Attribute {
    return value ? Attr::get(context, *value) : Attribute();
  };
  using namespace stablehlo;
  StringRef kind = node.kind->name;
  if (kind == "bool_v1")
    return BoolAttr::get(context, node.ints[0]);
  if (kind == "api_version_v1")
    return IntegerAttr::get(IntegerType::get(context, 32), node.ints[0]);
  if (kind == "comparison_direction_v1")
    return build.operator()<ComparisonDirectionAttr>(symbolizeComparisonDirection(name));
  if (kind == "comparison_type_v1")
    return build.operator()<ComparisonTypeAttr>(symbolizeComparisonType(name));
  if (kind == "precision_v1")
    return build.operator()<PrecisionAttr>(symbolizePrecision(name));
  if (kind == "fft_type_v1")
    return build.operator()<FftTypeAttr>(symbolizeFftType(name));
  if (kind == "rng_distribution_v1")
    return build.operator()<RngDistributionAttr>(symbolizeRngDistribution(name));
  if (kind == "rng_algorithm_v1")
    return build.operator()<RngAlgorithmAttr>(symbolizeRngAlgorithm(name));
  if (kind == "transpose_v1")
    return build.operator()<TransposeAttr>(symbolizeTranspose(name));
  if (kind == "result_accuracy_mode_v1")
    return build.operator()<ResultAccuracyModeAttr>(symbolizeResultAccuracyMode(name));
  return {};
}

Attribute FromVhlo::translateTensor(const Node &node) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type(node.types[0]));
  if (!tensor)
    return {};
  ArrayRef<char> bytes(node.bytes.data(), node.bytes.size());
  return tensor.getElementType().isSignlessInteger(1) ? predicatesFrom(tensor, bytes)
                                                      : elementsFrom(tensor, bytes);
}

Attribute FromVhlo::translateDictionary(const Node &node) {
  SmallVector<NamedAttribute> attributes;
  for (size_t i = 0; i < node.attributes.size(); i += 2) {
    auto name = dyn_cast_or_null<StringAttr>(attribute(node.attributes[i]));
    Attribute value = attribute(node.attributes[i + 1]);
    if (!name || name.empty() || !value)
      return {};
    attributes.emplace_back(name, value);
  }
  if (DictionaryAttr::findDuplicate(attributes, /*isSorted=*/false))
    return {};
  return DictionaryAttr::get(context, attributes);
}

/// Meshes, their axes, and groups of devices along these.
Attribute FromVhlo::translateMesh(const Node &node) {
  using namespace stablehlo;
  StringRef kind = node.kind->name;
  if (kind == "sub_axis_info_v1")
    return SubAxisInfoAttr::get(context, node.ints[0], node.ints[1]);
  SmallVector<Attribute, 2> parts;
  for (Attribute part : node.attributes)
    parts.push_back(part ? attribute(part) : Attribute());
  auto name = dyn_cast_or_null<StringAttr>(parts.front());
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  auto emit = [this] { return mlir::emitError(UnknownLoc::get(context)); };
  if (kind == "mesh_axis_v1")
    return name ? MeshAxisAttr::getChecked(emit, context, name.getValue(), node.ints[0])
                : MeshAxisAttr();
  if (kind == "axis_ref_v1") {
    auto part = dyn_cast_or_null<SubAxisInfoAttr>(parts[1]);
    bool isKnown = name && bool(part) == bool(node.attributes[1]);
    return isKnown ? AxisRefAttr::get(context, name.getValue(), part) : AxisRefAttr();
  }
  if (kind == "mesh_v1") {
    auto axes = dyn_cast_or_null<ArrayAttr>(parts[0]);
    auto devices = dyn_cast_or_null<DenseIntElementsAttr>(parts[1]);
    if (!axes || !llvm::all_of(axes, llvm::IsaPred<MeshAxisAttr>) ||
        bool(devices) != bool(node.attributes[1]))
      return {};
    return MeshAttr::get(context, llvm::to_vector(axes.getAsRange<MeshAxisAttr>()), devices);
  }
  if (kind != "replica_group_mesh_axes_v1")
    return {};
  Attribute mesh = name ? FlatSymbolRefAttr::get(name) : parts[0];
  auto axes = dyn_cast_or_null<ArrayAttr>(parts[1]);
  return mesh && axes ? ReplicaGroupMeshAxesAttr::getChecked(emit, context, mesh, axes)
                      : ReplicaGroupMeshAxesAttr();
}

Attribute FromVhlo::translateAttribute(const Node &node) {
  StringRef kind = node.kind->name;
  if (!node.kind->cases.empty())
    return translateEnum(node);
  if (kind == "string_v1")
    return StringAttr::get(context, node.bytes);
  if (kind == "tensor_v1")
    return translateTensor(node);
  if (kind == "dict_v1")
    return translateDictionary(node);
  if (kind == "type_v1") {
    Type named = type(node.types[0]);
    return named ? TypeAttr::get(named) : Attribute();
  }
  if (kind == "integer_v1") {
    Type number = type(node.types[0]);
    return IntegerAttr::get(number, APInt(number.isIndex() ? 64 : number.getIntOrFloatBitWidth(),
                                          node.ints[0], /*isSigned=*/true, /*implicitTrunc=*/true));
  }
  if (kind == "float_v1") {
    auto number = cast<FloatType>(type(node.types[0]));
    return FloatAttr::get(number, APFloat(number.getFloatSemantics(),
                                          APInt(number.getWidth(), node.ints[0], false, true)));
  }
  if (kind == "array_v1") {
    SmallVector<Attribute> elements;
    for (Attribute element : node.attributes)
      elements.push_back(attribute(element));
    return llvm::is_contained(elements, Attribute()) ? Attribute()
                                                     : ArrayAttr::get(context, elements);
  }
  if (kind == "output_operand_alias_v1") {
    // A list of result indices, the operand's number, and a list of indices into it.
    size_t outputs = node.ints[0];
    ArrayRef<int64_t> ints = node.ints.drop_front();
    return stablehlo::OutputOperandAliasAttr::get(context, ints.take_front(outputs), ints[outputs],
                                                  ints.drop_front(outputs + 2));
  }
  if (kind == "type_extensions_v1")
    return stablehlo::BoundsAttr::get(context, node.ints.drop_front());
  if (kind == "result_accuracy_v1") {
    auto number = [&](size_t i) { return APFloat(llvm::bit_cast<double>(node.ints[i])); };
    auto mode = dyn_cast_or_null<stablehlo::ResultAccuracyModeAttr>(attribute(node.attributes[0]));
    if (!mode)
      return {};
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
    return stablehlo::ResultAccuracyAttr::getChecked(
        [this] { return mlir::emitError(UnknownLoc::get(context)); }, context, number(0), number(1),
        node.ints[2], mode);
  }
  return translateMesh(node);
}

// Empty lists are kept, as in jaxlib.
bool saysNothing(Attribute attribute, Absent absent) {
  auto isNumber = [&](int64_t value) {
    auto number = dyn_cast<IntegerAttr>(attribute);
    return number && number.getValue().getSExtValue() == value;
  };
  switch (absent) {
  case Absent::Never:
  case Absent::Missing:
    return false;
  case Absent::False:
    return attribute == BoolAttr::get(attribute.getContext(), false);
  case Absent::Zero:
    return isNumber(0);
  case Absent::One:
    return isNumber(1);
  case Absent::MinusOne:
    return isNumber(-1);
  case Absent::EmptyString:
    return isa<StringAttr>(attribute) && cast<StringAttr>(attribute).empty();
  case Absent::EmptyArray:
    return isa<ArrayAttr>(attribute) && cast<ArrayAttr>(attribute).empty();
  case Absent::EmptyDictionary:
    return isa<DictionaryAttr>(attribute) && cast<DictionaryAttr>(attribute).empty();
  case Absent::EmptyTensor: {
    auto elements = dyn_cast<DenseElementsAttr>(attribute);
    auto list = dyn_cast<DenseArrayAttr>(attribute);
    return (elements && elements.empty()) || (list && list.empty());
  }
  case Absent::Ones: {
    auto list = dyn_cast<DenseI64ArrayAttr>(attribute);
    return list && !list.empty() &&
           llvm::all_of(list.asArrayRef(), [](int64_t value) { return value == 1; });
  }
  case Absent::Falses: {
    auto list = dyn_cast<DenseBoolArrayAttr>(attribute);
    return list && !list.empty() &&
           llvm::none_of(list.asArrayRef(), [](bool value) { return value; });
  }
  case Absent::ZeroPairs: {
    auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
    return elements && elements.isSplat() && elements.getSplatValue<APInt>().isZero();
  }
  case Absent::NoneType: {
    auto type = dyn_cast<TypeAttr>(attribute);
    return type && isa<NoneType>(type.getValue());
  }
  case Absent::NoComparisonType: {
    auto type = dyn_cast<stablehlo::ComparisonTypeAttr>(attribute);
    return type && type.getValue() == stablehlo::ComparisonType::NOTYPE;
  }
  case Absent::DefaultPrecision: {
    auto list = dyn_cast<ArrayAttr>(attribute);
    return list && llvm::all_of(list, [](Attribute element) {
             auto precision = dyn_cast<stablehlo::PrecisionAttr>(element);
             return precision && precision.getValue() == stablehlo::Precision::DEFAULT;
           });
  }
  case Absent::Accuracy:
    return attribute == stablehlo::ResultAccuracyAttr::get(attribute.getContext(),
                                                           stablehlo::ResultAccuracyMode::DEFAULT);
  }
  llvm_unreachable("unknown absence");
}

} // namespace systole
