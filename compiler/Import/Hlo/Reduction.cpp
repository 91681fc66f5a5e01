// Operations of HLO that apply a computation to elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Window.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// Whether there are as many initial values as inputs.
bool hasPairs(const Node &node) { return !node.operands.empty() && node.operands.size() % 2 == 0; }

FailureOr<Values> buildReduce(Emitter &emitter, const Node &node) {
  if (!hasPairs(node))
    return emitter.error(node) << "expects as many initial values as inputs";
  return emitter.makeWithRegions(node, "stablehlo.reduce", node.leaves(),
                                 numbersAttribute(emitter, "dimensions", node.proto.dimensions()));
}

FailureOr<Values> buildReduceWindow(Emitter &emitter, const Node &node) {
  const WindowNumbers window(node.proto.window());
  if (!hasPairs(node))
    return emitter.error(node) << "expects as many initial values as inputs";
  if (window.isReversed())
    return emitter.unimplemented(node) << "reversed windows of reductions are not supported";
  return emitter.makeWithRegions(
      node, "stablehlo.reduce_window", node.leaves(),
      {numbersAttribute(emitter, "window_dimensions", window.sizes),
       numbersAttribute(emitter, "window_strides", window.strides),
       numbersAttribute(emitter, "base_dilations", window.baseDilations),
       numbersAttribute(emitter, "window_dilations", window.dilations),
       emitter.builder.getNamedAttr("padding", window.padding(emitter))});
}

FailureOr<Values> buildSelectAndScatter(Emitter &emitter, const Node &node) {
  const WindowNumbers window(node.proto.window());
  auto isNotOne = [](int64_t value) { return value != 1; };
  if (window.isReversed() || llvm::any_of(window.dilations, isNotOne) ||
      llvm::any_of(window.baseDilations, isNotOne))
    return emitter.unimplemented(node) << "dilated and reversed windows are not supported";
  return emitter.makeWithRegions(
      node, "stablehlo.select_and_scatter", node.leaves(),
      {numbersAttribute(emitter, "window_dimensions", window.sizes),
       numbersAttribute(emitter, "window_strides", window.strides),
       emitter.builder.getNamedAttr("padding", window.padding(emitter))});
}

FailureOr<Values> buildSort(Emitter &emitter, const Node &node) {
  if (node.proto.dimensions_size() != 1)
    return emitter.error(node) << "expects one dimension";
  Builder &b = emitter.builder;
  return emitter.makeWithRegions(
      node, "stablehlo.sort", node.leaves(),
      {b.getNamedAttr("dimension", b.getI64IntegerAttr(node.proto.dimensions(0))),
       flagAttribute(emitter, "is_stable", node.proto.is_stable())});
}

/// The computation applies to all elements, whichever dimensions are listed.
FailureOr<Values> buildMap(Emitter &emitter, const Node &node) {
  if (node.operands.empty())
    return emitter.error(node) << "expects an operand";
  const int64_t rank = cast<RankedTensorType>(node.array(0).getType()).getRank();
  return emitter.makeWithRegions(
      node, "stablehlo.map", node.leaves(),
      numbersAttribute(emitter, "dimensions", llvm::to_vector(llvm::seq<int64_t>(rank))));
}

constexpr Opcode kOpcodes[] = {
    {"map", buildMap, Opcode::kAny, 1},
    {"reduce", buildReduce, Opcode::kAny, 1},
    {"reduce-window", buildReduceWindow, Opcode::kAny, 1},
    {"select-and-scatter", buildSelectAndScatter, 3, 2},
    {"sort", buildSort, Opcode::kAny, 1},
};

} // namespace

ArrayRef<Opcode> reductionOpcodes() { return kOpcodes; }

} // namespace systole::hlo
