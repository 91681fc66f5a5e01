// Operations of HLO that access elements at computed indices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::hlo {

namespace {

template <typename Numbers> ArrayRef<int64_t> list(const Numbers &numbers) {
  return {numbers.data(), size_t(numbers.size())};
}

FailureOr<Values> buildDynamicSlice(Emitter &emitter, const Node &node) {
  return emitter.make(node, "stablehlo.dynamic_slice", node.leaves(),
                      numbersAttribute(emitter, "slice_sizes", node.proto.dynamic_slice_sizes()));
}

FailureOr<Values> buildDynamicUpdateSlice(Emitter &emitter, const Node &node) {
  if (node.operands.size() < 2)
    return emitter.error(node) << "expects an array and an update";
  return emitter.make(node, "stablehlo.dynamic_update_slice", node.leaves());
}

FailureOr<Values> buildGather(Emitter &emitter, const Node &node) {
  const GatherDimensionNumbers &numbers = node.proto.gather_dimension_numbers();
  auto dimensions = stablehlo::GatherDimensionNumbersAttr::get(
      emitter.context(), list(numbers.offset_dims()), list(numbers.collapsed_slice_dims()),
      list(numbers.operand_batching_dims()), list(numbers.start_indices_batching_dims()),
      list(numbers.start_index_map()), numbers.index_vector_dim());
  return emitter.make(
      node, "stablehlo.gather", node.leaves(),
      {emitter.builder.getNamedAttr("dimension_numbers", dimensions),
       numbersAttribute(emitter, "slice_sizes", node.proto.gather_slice_sizes()),
       flagAttribute(emitter, "indices_are_sorted", node.proto.indices_are_sorted())});
}

FailureOr<Values> buildScatter(Emitter &emitter, const Node &node) {
  if (node.operands.size() < 3 || node.operands.size() % 2 == 0)
    return emitter.error(node) << "expects as many updates as inputs, and indices";
  const ScatterDimensionNumbers &numbers = node.proto.scatter_dimension_numbers();
  auto dimensions = stablehlo::ScatterDimensionNumbersAttr::get(
      emitter.context(), list(numbers.update_window_dims()), list(numbers.inserted_window_dims()),
      list(numbers.input_batching_dims()), list(numbers.scatter_indices_batching_dims()),
      list(numbers.scatter_dims_to_operand_dims()), numbers.index_vector_dim());
  return emitter.makeWithRegions(
      node, "stablehlo.scatter", node.leaves(),
      {emitter.builder.getNamedAttr("scatter_dimension_numbers", dimensions),
       flagAttribute(emitter, "indices_are_sorted", node.proto.indices_are_sorted()),
       flagAttribute(emitter, "unique_indices", node.proto.unique_indices())});
}

constexpr Opcode kOpcodes[] = {
    {"dynamic-slice", buildDynamicSlice, Opcode::kAny},
    {"dynamic-update-slice", buildDynamicUpdateSlice, Opcode::kAny},
    {"gather", buildGather, 2},
    {"scatter", buildScatter, Opcode::kAny, 1},
};

} // namespace

ArrayRef<Opcode> indexingOpcodes() { return kOpcodes; }

} // namespace systole::hlo
