// StableHLO attributes that portable artifacts split into several.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Vhlo/Structures.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace systole {

using coded::Structure;
using namespace stablehlo;

namespace {

/// Takes fields by name and records whether one was not as expected.
struct Taker {
  const Parts &parts;
  bool failed = false;

  ArrayRef<int64_t> list(StringRef name) {
    Attribute part = parts.lookup(name);
    auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(part);
    failed |= part && !numbers;
    return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
  }
  int64_t number(StringRef name) {
    auto number = dyn_cast_or_null<IntegerAttr>(parts.lookup(name));
    bool fits = number && number.getValue().getBitWidth() <= 64;
    failed |= !fits;
    return fits ? number.getValue().getSExtValue() : 0;
  }
  bool flag(StringRef name) {
    auto flag = dyn_cast_or_null<BoolAttr>(parts.lookup(name));
    failed |= !flag;
    return flag && flag.getValue();
  }
  Type type(StringRef name) {
    auto type = dyn_cast_or_null<TypeAttr>(parts.lookup(name));
    failed |= !type;
    return type ? type.getValue() : Type();
  }
};

} // namespace

StringRef nameOf(const coded::OpField &field) {
  return field.form == coded::Form::Channel ? "channel_handle" : field.name;
}

StringRef nameOf(Structure structure) {
  switch (structure) {
  case Structure::Dot:
    return "dot_dimension_numbers";
  case Structure::Scatter:
    return "scatter_dimension_numbers";
  case Structure::Channel:
    return "channel_handle";
  default:
    return "dimension_numbers";
  }
}

Attribute makeStructure(Structure structure, const Parts &parts, MLIRContext *context) {
  Taker take{parts};
  Attribute result;
  switch (structure) {
  case Structure::None:
    return {};
  case Structure::Gather:
    result = GatherDimensionNumbersAttr::get(
        context, take.list("offset_dims"), take.list("collapsed_slice_dims"),
        take.list("operand_batching_dims"), take.list("start_indices_batching_dims"),
        take.list("start_index_map"), take.number("index_vector_dim"));
    break;
  case Structure::Scatter:
    result = ScatterDimensionNumbersAttr::get(
        context, take.list("update_window_dims"), take.list("inserted_window_dims"),
        take.list("input_batching_dims"), take.list("scatter_indices_batching_dims"),
        take.list("scatter_dims_to_operand_dims"), take.number("index_vector_dim"));
    break;
  case Structure::Dot:
    result = DotDimensionNumbersAttr::get(
        context, take.list("lhs_batching_dimensions"), take.list("rhs_batching_dimensions"),
        take.list("lhs_contracting_dimensions"), take.list("rhs_contracting_dimensions"));
    break;
  case Structure::Convolution:
    result = ConvDimensionNumbersAttr::get(
        context, take.number("input_batch_dimension"), take.number("input_feature_dimension"),
        take.list("input_spatial_dimensions"), take.number("kernel_input_feature_dimension"),
        take.number("kernel_output_feature_dimension"), take.list("kernel_spatial_dimensions"),
        take.number("output_batch_dimension"), take.number("output_feature_dimension"),
        take.list("output_spatial_dimensions"));
    break;
  case Structure::Channel:
    result =
        ChannelHandleAttr::get(context, take.number("channel_id"), take.number("channel_type"));
    break;
  }
  return take.failed ? Attribute() : result;
}

Attribute makeAlgorithm(const Parts &parts, MLIRContext *context) {
  Taker take{parts};
  Type lhs = take.type("lhs_precision_type"), rhs = take.type("rhs_precision_type");
  Type accumulation = take.type("accumulation_type");
  int64_t lhsCount = take.number("lhs_component_count");
  int64_t rhsCount = take.number("rhs_component_count");
  int64_t operations = take.number("num_primitive_operations");
  bool imprecise = take.flag("allow_imprecise_accumulation");
  if (take.failed)
    return {};
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return DotAlgorithmAttr::getChecked([&] { return emitError(UnknownLoc::get(context)); }, context,
                                      lhs, rhs, accumulation, lhsCount, rhsCount, operations,
                                      imprecise);
}

Parts partsOf(Attribute structure) {
  Parts parts;
  Builder builder(structure.getContext());
  auto list = [&](StringRef name, ArrayRef<int64_t> numbers) {
    parts[name] = builder.getDenseI64ArrayAttr(numbers);
  };
  auto number = [&](StringRef name, int64_t value) {
    parts[name] = builder.getI64IntegerAttr(value);
  };
  if (auto gather = dyn_cast<GatherDimensionNumbersAttr>(structure)) {
    list("offset_dims", gather.getOffsetDims());
    list("collapsed_slice_dims", gather.getCollapsedSliceDims());
    list("operand_batching_dims", gather.getOperandBatchingDims());
    list("start_indices_batching_dims", gather.getStartIndicesBatchingDims());
    list("start_index_map", gather.getStartIndexMap());
    number("index_vector_dim", gather.getIndexVectorDim());
  } else if (auto scatter = dyn_cast<ScatterDimensionNumbersAttr>(structure)) {
    list("update_window_dims", scatter.getUpdateWindowDims());
    list("inserted_window_dims", scatter.getInsertedWindowDims());
    list("input_batching_dims", scatter.getInputBatchingDims());
    list("scatter_indices_batching_dims", scatter.getScatterIndicesBatchingDims());
    list("scatter_dims_to_operand_dims", scatter.getScatterDimsToOperandDims());
    number("index_vector_dim", scatter.getIndexVectorDim());
  } else if (auto dot = dyn_cast<DotDimensionNumbersAttr>(structure)) {
    list("lhs_batching_dimensions", dot.getLhsBatchingDimensions());
    list("rhs_batching_dimensions", dot.getRhsBatchingDimensions());
    list("lhs_contracting_dimensions", dot.getLhsContractingDimensions());
    list("rhs_contracting_dimensions", dot.getRhsContractingDimensions());
  } else if (auto convolution = dyn_cast<ConvDimensionNumbersAttr>(structure)) {
    number("input_batch_dimension", convolution.getInputBatchDimension());
    number("input_feature_dimension", convolution.getInputFeatureDimension());
    list("input_spatial_dimensions", convolution.getInputSpatialDimensions());
    number("kernel_input_feature_dimension", convolution.getKernelInputFeatureDimension());
    number("kernel_output_feature_dimension", convolution.getKernelOutputFeatureDimension());
    list("kernel_spatial_dimensions", convolution.getKernelSpatialDimensions());
    number("output_batch_dimension", convolution.getOutputBatchDimension());
    number("output_feature_dimension", convolution.getOutputFeatureDimension());
    list("output_spatial_dimensions", convolution.getOutputSpatialDimensions());
  } else if (auto channel = dyn_cast<ChannelHandleAttr>(structure)) {
    number("channel_id", channel.getHandle());
    number("channel_type", channel.getType());
  } else if (auto algorithm = dyn_cast<DotAlgorithmAttr>(structure)) {
    parts["lhs_precision_type"] = TypeAttr::get(algorithm.getLhsPrecisionType());
    parts["rhs_precision_type"] = TypeAttr::get(algorithm.getRhsPrecisionType());
    parts["accumulation_type"] = TypeAttr::get(algorithm.getAccumulationType());
    number("lhs_component_count", algorithm.getLhsComponentCount());
    number("rhs_component_count", algorithm.getRhsComponentCount());
    number("num_primitive_operations", algorithm.getNumPrimitiveOperations());
    parts["allow_imprecise_accumulation"] =
        builder.getBoolAttr(algorithm.getAllowImpreciseAccumulation());
  }
  return parts;
}

} // namespace systole
