// Converts StableHLO attributes and types to VHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Vhlo/ToVhlo.h"

#include "compiler/Import/Elements.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {

using namespace coded;

ToVhlo::ToVhlo(MLIRContext *context, Version version)
    : context(context), dialect(context->getOrLoadDialect<vhlo::VhloDialect>()), version(version) {}

bool ToVhlo::types(ArrayRef<Type> mlir, NodeBuilder &node) {
  node.ints.push_back(mlir.size());
  for (Type each : mlir)
    node.types.push_back(type(each));
  return !llvm::is_contained(node.types, Type());
}

bool ToVhlo::attributes(ArrayRef<Attribute> mlir, NodeBuilder &node) {
  for (Attribute each : mlir)
    node.attributes.push_back(attribute(each));
  return !llvm::is_contained(node.attributes, Attribute());
}

Attribute ToVhlo::makeAttribute(StringRef kind, NodeBuilder &node) {
  node.kind = dialect->attributeNamed(kind);
  if (node.kind->since > version || llvm::is_contained(node.types, Type()))
    return {};
  return dialect->attribute(node.node());
}

Type ToVhlo::makeType(StringRef kind, NodeBuilder &node) {
  node.kind = dialect->typeNamed(kind);
  if (node.kind->since > version || llvm::is_contained(node.types, Type()))
    return {};
  return dialect->type(node.node());
}

Attribute ToVhlo::makeEnum(StringRef kind, StringRef name) {
  NodeBuilder node;
  const KindInfo *info = dialect->attributeNamed(kind);
  const auto *found = llvm::find(info->cases, name);
  if (found == info->cases.end())
    return {};
  node.ints.push_back(found - info->cases.begin());
  return makeAttribute(kind, node);
}

Type ToVhlo::type(Type mlir) {
  auto [known, isNew] = knownTypes.try_emplace(mlir);
  if (!isNew)
    return known->second;
  Type result = translate(mlir);
  return knownTypes[mlir] = result;
}

Type ToVhlo::translate(quant::QuantizedType mlir) {
  NodeBuilder node;
  node.types = {type(mlir.getStorageType()), type(mlir.getExpressedType())};
  node.ints.push_back(mlir.getFlags());
  const int64_t least = mlir.getStorageTypeMin(), most = mlir.getStorageTypeMax();
  auto bits = [](double value) { return llvm::bit_cast<int64_t>(value); };
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(mlir)) {
    node.ints.append({bits(uniform.getScale()), uniform.getZeroPoint(), least, most});
    return makeType("quant_v1", node);
  }
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(mlir);
  if (!perAxis)
    return {};
  node.ints.append({perAxis.getQuantizedDimension(), least, most});
  node.ints.push_back(int64_t(perAxis.getScales().size()));
  llvm::append_range(node.ints, llvm::map_range(perAxis.getScales(), bits));
  node.ints.push_back(int64_t(perAxis.getZeroPoints().size()));
  llvm::append_range(node.ints, perAxis.getZeroPoints());
  return makeType("quant_per_axis_v1", node);
}

Type ToVhlo::translate(Type mlir) {
  if (Type scalar = dialect->scalarFor(mlir))
    return dialect->nodeOf(scalar).kind->since > version ? Type() : scalar;
  NodeBuilder node;
  if (isa<stablehlo::TokenType>(mlir))
    return makeType("token_v1", node);
  if (auto complex = dyn_cast<ComplexType>(mlir)) {
    node.types.push_back(type(complex.getElementType()));
    return makeType("complex_v1", node);
  }
  if (auto quantized = dyn_cast<quant::QuantizedType>(mlir))
    return translate(quantized);
  if (auto function = dyn_cast<FunctionType>(mlir)) {
    bool isKnown = types(function.getInputs(), node) && types(function.getResults(), node);
    return isKnown ? makeType("func_v1", node) : Type();
  }
  if (auto tensor = dyn_cast<RankedTensorType>(mlir)) {
    node.ints.push_back(tensor.getRank());
    llvm::append_range(node.ints, tensor.getShape());
    node.types.push_back(type(tensor.getElementType()));
    if (!tensor.getEncoding())
      return makeType("tensor_v1", node);
    return attributes({tensor.getEncoding()}, node) ? makeType("encoded_tensor_v1", node) : Type();
  }
  if (auto future = dyn_cast<stablehlo::FutureType>(mlir))
    return types(future.getTypes(), node) ? makeType("future_v1", node) : Type();
  if (auto tensor = dyn_cast<UnrankedTensorType>(mlir)) {
    node.types.push_back(type(tensor.getElementType()));
    return makeType("unranked_tensor_v1", node);
  }
  if (auto tuple = dyn_cast<TupleType>(mlir))
    return types(tuple.getTypes(), node) ? makeType("tuple_v1", node) : Type();
  return {};
}

Attribute ToVhlo::attribute(Attribute mlir) {
  auto [known, isNew] = knownAttributes.try_emplace(mlir);
  if (!isNew)
    return known->second;
  Attribute result = translate(mlir);
  return knownAttributes[mlir] = result;
}

Attribute ToVhlo::tensor(RankedTensorType shaped, StringRef bytes) {
  NodeBuilder node;
  node.types.push_back(type(shaped));
  node.bytes = bytes.str();
  return makeAttribute("tensor_v1", node);
}

Attribute ToVhlo::translateNumbers(Attribute mlir) {
  auto i64 = IntegerType::get(context, 64);
  if (auto elements = dyn_cast<DenseElementsAttr>(mlir)) {
    auto shaped = dyn_cast<RankedTensorType>(elements.getType());
    if (!shaped)
      return {};
    if (shaped.getElementType().isSignlessInteger(1))
      return tensor(shaped, bytesOfPredicates(elements));
    ArrayRef<char> raw = elements.getRawData();
    return tensor(shaped, StringRef(raw.data(), raw.size()));
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(mlir))
    return attribute(
        DenseElementsAttr::get(RankedTensorType::get({list.size()}, i64), list.asArrayRef()));
  if (auto list = dyn_cast<DenseBoolArrayAttr>(mlir))
    return attribute(DenseElementsAttr::get(
        RankedTensorType::get({list.size()}, IntegerType::get(context, 1)), list.asArrayRef()));
  NodeBuilder node;
  if (auto number = dyn_cast<IntegerAttr>(mlir)) {
    if (number.getType().isSignlessInteger(1))
      return makeEnum("bool_v1", number.getValue().isZero() ? "false" : "true");
    node.types.push_back(type(number.getType()));
    if (!node.types.back())
      return {};
    node.ints.push_back(number.getValue().getSExtValue());
    return makeAttribute("integer_v1", node);
  }
  if (auto number = dyn_cast<FloatAttr>(mlir)) {
    node.types.push_back(type(number.getType()));
    if (!node.types.back())
      return {};
    node.ints.push_back(number.getValue().bitcastToAPInt().getZExtValue());
    return makeAttribute("float_v1", node);
  }
  return {};
}

Attribute ToVhlo::translateEnum(Attribute mlir) {
  using namespace stablehlo;
  if (auto value = dyn_cast<ComparisonDirectionAttr>(mlir))
    return makeEnum("comparison_direction_v1", stringifyComparisonDirection(value.getValue()));
  if (auto value = dyn_cast<ComparisonTypeAttr>(mlir))
    return makeEnum("comparison_type_v1", stringifyComparisonType(value.getValue()));
  if (auto value = dyn_cast<PrecisionAttr>(mlir))
    return makeEnum("precision_v1", stringifyPrecision(value.getValue()));
  if (auto value = dyn_cast<FftTypeAttr>(mlir))
    return makeEnum("fft_type_v1", stringifyFftType(value.getValue()));
  if (auto value = dyn_cast<RngDistributionAttr>(mlir))
    return makeEnum("rng_distribution_v1", stringifyRngDistribution(value.getValue()));
  if (auto value = dyn_cast<RngAlgorithmAttr>(mlir))
    return makeEnum("rng_algorithm_v1", stringifyRngAlgorithm(value.getValue()));
  if (auto value = dyn_cast<TransposeAttr>(mlir))
    return makeEnum("transpose_v1", stringifyTranspose(value.getValue()));
  if (auto value = dyn_cast<ResultAccuracyModeAttr>(mlir))
    return makeEnum("result_accuracy_mode_v1", stringifyResultAccuracyMode(value.getValue()));
  return {};
}

Attribute ToVhlo::translateMesh(Attribute mlir) {
  using namespace stablehlo;
  NodeBuilder node;
  auto known = [&](bool isKnown, StringRef kind) {
    return isKnown ? makeAttribute(kind, node) : Attribute();
  };
  // The part of a node that may be absent.
  auto optional = [&](Attribute part) {
    if (part)
      return attributes({part}, node);
    node.attributes.push_back({});
    return true;
  };
  if (auto info = dyn_cast<SubAxisInfoAttr>(mlir)) {
    node.ints = {info.getPreSize(), info.getSize()};
    return makeAttribute("sub_axis_info_v1", node);
  }
  if (auto axis = dyn_cast<AxisRefAttr>(mlir)) {
    bool isKnown = attributes({StringAttr::get(context, axis.getName())}, node);
    return known(isKnown && optional(axis.getSubAxisInfo()), "axis_ref_v1");
  }
  if (auto axis = dyn_cast<MeshAxisAttr>(mlir)) {
    node.ints = {axis.getSize()};
    return known(attributes({StringAttr::get(context, axis.getName())}, node), "mesh_axis_v1");
  }
  if (auto mesh = dyn_cast<MeshAttr>(mlir)) {
    SmallVector<Attribute> axes(mesh.getAxes().begin(), mesh.getAxes().end());
    bool isKnown = attributes({ArrayAttr::get(context, axes)}, node);
    return known(isKnown && optional(mesh.getDeviceIds()), "mesh_v1");
  }
  if (auto groups = dyn_cast<ReplicaGroupMeshAxesAttr>(mlir))
    return known(attributes({groups.getMesh(), groups.getAxes()}, node),
                 "replica_group_mesh_axes_v1");
  return {};
}

Attribute ToVhlo::apiVersion(Attribute mlir) {
  constexpr StringLiteral kind = "api_version_v1";
  auto number = dyn_cast<IntegerAttr>(mlir);
  ArrayRef<StringLiteral> names = dialect->attributeNamed(kind)->cases;
  bool isKnown = number && number.getValue().ult(names.size()) &&
                 (number.getValue() != stablehlo::kTypedApiVersion || version >= Version{1, 3});
  return isKnown ? makeEnum(kind, names[number.getValue().getZExtValue()]) : Attribute();
}

Attribute ToVhlo::translate(Attribute mlir) {
  NodeBuilder node;
  if (auto string = dyn_cast<StringAttr>(mlir)) {
    node.bytes = string.str();
    return makeAttribute("string_v1", node);
  }
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(mlir))
    return attribute(symbol.getAttr());
  if (auto type = dyn_cast<TypeAttr>(mlir)) {
    node.types.push_back(this->type(type.getValue()));
    return makeAttribute("type_v1", node);
  }
  if (auto array = dyn_cast<ArrayAttr>(mlir)) {
    node.ints.push_back(array.size());
    return attributes(array.getValue(), node) ? makeAttribute("array_v1", node) : Attribute();
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(mlir)) {
    node.ints.push_back(dictionary.size());
    bool isKnown = true;
    for (NamedAttribute each : dictionary)
      isKnown &= attributes({each.getName(), each.getValue()}, node);
    return isKnown ? makeAttribute("dict_v1", node) : Attribute();
  }
  if (auto alias = dyn_cast<stablehlo::OutputOperandAliasAttr>(mlir)) {
    node.ints.push_back(alias.getOutputTupleIndices().size());
    llvm::append_range(node.ints, alias.getOutputTupleIndices());
    node.ints.push_back(alias.getOperandIndex());
    node.ints.push_back(alias.getOperandTupleIndices().size());
    llvm::append_range(node.ints, alias.getOperandTupleIndices());
    return makeAttribute("output_operand_alias_v1", node);
  }
  if (auto bounds = dyn_cast<stablehlo::BoundsAttr>(mlir)) {
    node.ints.push_back(bounds.getBounds().size());
    llvm::append_range(node.ints, bounds.getBounds());
    return makeAttribute("type_extensions_v1", node);
  }
  if (auto accuracy = dyn_cast<stablehlo::ResultAccuracyAttr>(mlir)) {
    for (const APFloat &tolerance : {accuracy.getAtol(), accuracy.getRtol()})
      node.ints.push_back(tolerance.bitcastToAPInt().getZExtValue());
    node.ints.push_back(accuracy.getUlps());
    return attributes({accuracy.getMode()}, node) ? makeAttribute("result_accuracy_v1", node)
                                                  : Attribute();
  }
  if (Attribute number = translateNumbers(mlir))
    return number;
  if (Attribute mesh = translateMesh(mlir))
    return mesh;
  return translateEnum(mlir);
}

Attribute valueOf(Absent absent, int64_t rank, MLIRContext *context) {
  Builder builder(context);
  switch (absent) {
  case Absent::Never:
  case Absent::Missing:
    return {};
  case Absent::False:
    return builder.getBoolAttr(false);
  case Absent::Zero:
    return builder.getI64IntegerAttr(0);
  case Absent::One:
    return builder.getI32IntegerAttr(1);
  case Absent::MinusOne:
    return builder.getI64IntegerAttr(-1);
  case Absent::EmptyString:
    return builder.getStringAttr("");
  case Absent::EmptyArray:
    return builder.getArrayAttr({});
  case Absent::EmptyDictionary:
    return builder.getDictionaryAttr({});
  case Absent::EmptyTensor:
    return builder.getDenseI64ArrayAttr({});
  case Absent::Ones:
    return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(rank, 1));
  case Absent::Falses:
    return builder.getDenseBoolArrayAttr(SmallVector<bool>(rank, false));
  case Absent::ZeroPairs:
    return DenseElementsAttr::get(RankedTensorType::get({rank, 2}, builder.getI64Type()),
                                  ArrayRef(SmallVector<int64_t>(2 * rank, 0)));
  case Absent::NoneType:
    return TypeAttr::get(builder.getNoneType());
  case Absent::NoComparisonType:
    return stablehlo::ComparisonTypeAttr::get(context, stablehlo::ComparisonType::NOTYPE);
  case Absent::DefaultPrecision:
    return builder.getArrayAttr(SmallVector<Attribute>(
        2, stablehlo::PrecisionAttr::get(context, stablehlo::Precision::DEFAULT)));
  case Absent::Accuracy:
    return stablehlo::ResultAccuracyAttr::get(context, stablehlo::ResultAccuracyMode::DEFAULT);
  }
  llvm_unreachable("unknown absence");
}

} // namespace systole
