// Asynchronous operations of HLO. The start operation does all the work: there is nothing to
// overlap it with.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Memories.h"
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Types.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// The start operation's tuple: `values`, and zeros for the contexts of the
/// runtime.
FailureOr<Values> withContext(Emitter &emitter, const Node &node, Values values) {
  while (values.size() < node.types.size()) {
    auto type = dyn_cast<RankedTensorType>(node.types[values.size()]);
    if (!type || type.getRank() != 0 || !type.getElementType().isInteger(32))
      return emitter.error(node) << "its shape has more elements than it computes";
    Builder &b = emitter.builder;
    FailureOr<Value> zero = emitter.makeOne(
        node, "stablehlo.constant", {}, type,
        b.getNamedAttr("value",
                       DenseElementsAttr::get(type, ArrayRef<Attribute>(IntegerAttr::get(
                                                        type.getElementType(), APInt(32, 0))))));
    if (failed(zero))
      return failure();
    values.push_back(*zero);
  }
  return values;
}

/// (the destination, the source, ...)
FailureOr<Values> buildCopyStart(Emitter &emitter, const Node &node) {
  Values values = node.leaves();
  values.append(node.leaves());
  if (const ShapeProto &shape = node.proto.shape();
      node.leaves().size() == 1 && shape.tuple_shapes_size() > 0) {
    FailureOr<Value> moved =
        moveMemory(emitter, node, values.front(), *node.shapes[0], shape.tuple_shapes(0));
    if (failed(moved))
      return failure();
    values.front() = *moved;
  }
  return withContext(emitter, node, std::move(values));
}

/// ((the operands), the results, ...)
FailureOr<Values> buildAsyncStart(Emitter &emitter, const Node &node) {
  FailureOr<Values> results = emitter.inlineCall(node, node.instruction.calls[0], node.leaves());
  if (failed(results))
    return failure();
  Values values = node.leaves();
  values.append(*results);
  return withContext(emitter, node, std::move(values));
}

template <int Element> FailureOr<Values> buildDone(Emitter &emitter, const Node &node) {
  const Result &tuple = *node.operands[0];
  if (tuple.starts.size() < Element + 2)
    return emitter.error(node) << "its operand has no element " << Element;
  return Values(
      ArrayRef(tuple.leaves)
          .slice(tuple.starts[Element], tuple.starts[Element + 1] - tuple.starts[Element]));
}

FailureOr<Values> buildSame(Emitter &emitter, const Node &node) { return node.leaves(); }

constexpr Opcode tuples(StringLiteral name, Build build, int operands, int calls) {
  return {name, build, operands, calls, "", /*takesTuples=*/true};
}

constexpr Opcode kOpcodes[] = {
    tuples("async-done", buildDone<1>, 1, Opcode::kAny),
    tuples("async-start", buildAsyncStart, Opcode::kAny, 1),
    tuples("async-update", buildSame, 1, Opcode::kAny),
    tuples("copy-done", buildDone<0>, 1, 0),
    tuples("copy-start", buildCopyStart, 1, 0),
};

} // namespace

ArrayRef<Opcode> asyncOpcodes() { return kOpcodes; }

} // namespace systole::hlo
