// The memories that layouts of HLO name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Memories.h"

#include "compiler/Import/Hlo/Types.h"

using namespace mlir;

namespace systole::hlo {

/// XLA's memory space of the host. All others are parts of a device.
static constexpr int64_t kHostSpace = 5;

static constexpr StringLiteral kHostMemory = "pinned_host";

bool isOnHost(const ShapeProto &shape) {
  return shape.element_type() != kTuple && shape.layout().memory_space() == kHostSpace;
}

FailureOr<Value> moveMemory(Emitter &emitter, const Node &node, Value value, const ShapeProto &from,
                            const ShapeProto &to) {
  if (isOnHost(from) == isOnHost(to))
    return value;
  Builder &b = emitter.builder;
  NamedAttribute placement = b.getNamedAttr("_xla_buffer_placement",
                                            b.getStringAttr(isOnHost(to) ? kHostMemory : "device"));
  return emitter.makeOne(
      node, "stablehlo.custom_call", value, value.getType(),
      {b.getNamedAttr("call_target_name", b.getStringAttr("annotate_device_placement")),
       b.getNamedAttr("has_side_effect", b.getBoolAttr(true)),
       b.getNamedAttr("mhlo.frontend_attributes", b.getDictionaryAttr(placement))});
}

FailureOr<Values> placeResults(Emitter &emitter, const Node &node, Values results) {
  const ShapeProto &to = node.proto.shape();
  if (to.element_type() == kTuple || results.size() != 1)
    return results;
  const auto *onHost =
      llvm::find_if(node.shapes, [](const ShapeProto *shape) { return isOnHost(*shape); });
  const ShapeProto onDevice;
  FailureOr<Value> placed = moveMemory(emitter, node, results.front(),
                                       onHost == node.shapes.end() ? onDevice : **onHost, to);
  if (failed(placed))
    return failure();
  return Values{*placed};
}

/// Appends whether each array of `shape` is on the host.
static void appendMemories(const ShapeProto &shape, SmallVectorImpl<bool> &memories) {
  for (const ShapeProto &part : shape.tuple_shapes())
    appendMemories(part, memories);
  if (shape.element_type() != kTuple && shape.element_type() != kToken)
    memories.push_back(isOnHost(shape));
}

void markMemories(func::FuncOp entry, const Computation &body, StringRef programShape) {
  SmallVector<bool> arguments, results, ofProgram, ofResults;
  for (unsigned position : body.parameters)
    appendMemories(body.instructions[position].proto->shape(), arguments);
  appendMemories(body.instructions[body.root].proto->shape(), results);
  ProgramShapeProto shape;
  if (shape.ParseFromArray(programShape.data(), int(programShape.size()))) {
    for (const ShapeProto &parameter : shape.parameters())
      appendMemories(parameter, ofProgram);
    appendMemories(shape.result(), ofResults);
  }
  auto kind = StringAttr::get(entry.getContext(), kHostMemory);
  // Where the module repeats the shapes, their layouts are the callers'.
  auto mark = [&](ArrayRef<bool> own, ArrayRef<bool> callers, auto set) {
    for (auto [i, isHost] : llvm::enumerate(callers.size() == own.size() ? callers : own))
      if (isHost)
        set(i);
  };
  mark(arguments, ofProgram, [&](unsigned i) { entry.setArgAttr(i, "mhlo.memory_kind", kind); });
  mark(results, ofResults, [&](unsigned i) { entry.setResultAttr(i, "mhlo.memory_kind", kind); });
}

} // namespace systole::hlo
