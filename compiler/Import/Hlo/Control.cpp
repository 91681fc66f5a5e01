// Tuples, calls and control flow of HLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Memories.h"
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Types.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// Forwards the operands: tuples, and operations that only order others or concern devices.
FailureOr<Values> buildSame(Emitter &emitter, const Node &node) { return node.leaves(); }

/// A copy of an array may move it to another memory.
FailureOr<Values> buildCopy(Emitter &emitter, const Node &node) {
  Values values = node.leaves();
  if (node.proto.shape().element_type() == kTuple || values.empty())
    return values;
  FailureOr<Value> moved =
      moveMemory(emitter, node, values.front(), *node.shapes[0], node.proto.shape());
  if (failed(moved))
    return failure();
  return Values{*moved};
}

FailureOr<Values> buildFirst(Emitter &emitter, const Node &node) {
  return node.operands[0]->leaves;
}

/// Tokens are omitted: the operations that they order keep their order.
FailureOr<Values> buildToken(Emitter &emitter, const Node &node) { return Values(); }

FailureOr<Values> buildGetTupleElement(Emitter &emitter, const Node &node) {
  const Result &tuple = *node.operands[0];
  const int64_t index = node.proto.tuple_index();
  if (index < 0 || index + 1 >= int64_t(tuple.starts.size()))
    return emitter.error(node) << "its operand has no element " << index;
  return Values(ArrayRef(tuple.leaves)
                    .slice(tuple.starts[index], tuple.starts[index + 1] - tuple.starts[index]));
}

FailureOr<Values> buildBarrier(Emitter &emitter, const Node &node) {
  return emitter.make(node, "stablehlo.optimization_barrier", node.leaves());
}

FailureOr<Values> buildCall(Emitter &emitter, const Node &node) {
  FailureOr<func::FuncOp> callee = emitter.function(node, node.instruction.calls[0]);
  if (failed(callee))
    return failure();
  Values arguments = node.leaves();
  if (TypeRange(ValueRange(arguments)) != TypeRange(callee->getArgumentTypes()))
    return emitter.error(node) << "its operands have other types than the parameters of '"
                               << callee->getName() << "'";
  auto call = func::CallOp::create(emitter.builder, node.location, *callee, arguments);
  emitter.addFrontendAttributes(node, call);
  return Values(call.getResults());
}

FailureOr<Values> buildFusion(Emitter &emitter, const Node &node) {
  return emitter.inlineCall(node, node.instruction.calls[0], node.leaves());
}

/// Called computations are the body and the condition.
FailureOr<Values> buildWhile(Emitter &emitter, const Node &node) {
  const unsigned body = node.instruction.calls[0], condition = node.instruction.calls[1];
  Operation *loop =
      emitter.create(node, "stablehlo.while", node.leaves(), node.types, {}, /*regions=*/2);
  if (!loop || failed(emitter.fillRegion(loop->getRegion(0), condition, node.location)) ||
      failed(emitter.fillRegion(loop->getRegion(1), body, node.location)))
    return failure();
  return emitter.finish(loop);
}

FailureOr<Values> buildConditional(Emitter &emitter, const Node &node) {
  ArrayRef<unsigned> branches = node.instruction.calls;
  if (branches.empty() || node.operands.size() != branches.size() + 1 ||
      node.operands[0]->leaves.size() != 1)
    return emitter.error(node) << "expects an index and an operand for each branch";
  Value index = node.array(0);
  const bool isIf = cast<RankedTensorType>(index.getType()).getElementType().isInteger(1);
  if (isIf && branches.size() != 2)
    return emitter.error(node) << "expects two branches";
  Operation *choice = emitter.create(node, isIf ? "stablehlo.if" : "stablehlo.case", index,
                                     node.types, {}, branches.size());
  if (!choice)
    return failure();
  for (auto [i, branch] : llvm::enumerate(branches)) {
    OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.createBlock(&choice->getRegion(i));
    FailureOr<Values> results = emitter.inlineCall(node, branch, node.operands[i + 1]->leaves);
    if (failed(results) || !emitter.create(node, "stablehlo.return", *results, TypeRange()))
      return failure();
  }
  return emitter.finish(choice);
}

/// A token that orders nothing, for the operations of StableHLO that take one.
FailureOr<Value> makeToken(Emitter &emitter, const Node &node) {
  return emitter.makeOne(node, "stablehlo.create_token", {},
                         stablehlo::TokenType::get(emitter.context()));
}

FailureOr<Values> buildInfeed(Emitter &emitter, const Node &node) {
  const ShapeProto &shape = node.proto.shape();
  const int last = shape.tuple_shapes_size() - 1;
  if (shape.element_type() != kTuple || last < 0 ||
      shape.tuple_shapes(last).element_type() != kToken)
    return emitter.error(node) << "expects a tuple that ends in a token as its result";
  FailureOr<Value> token = makeToken(emitter, node);
  if (failed(token))
    return failure();
  SmallVector<Type, 1> types(node.types);
  types.push_back(token->getType());
  FailureOr<Values> results =
      emitter.finish(emitter.create(node, "stablehlo.infeed", *token, types));
  if (succeeded(results))
    results->pop_back();
  return results;
}

/// Whether two shapes are the same but for layouts.
bool areSame(const ShapeProto &one, const ShapeProto &other) {
  return one.element_type() == other.element_type() &&
         llvm::equal(one.dimensions(), other.dimensions()) &&
         llvm::equal(one.tuple_shapes(), other.tuple_shapes(), areSame);
}

/// The last operand is a token, which has no leaves.
FailureOr<Values> buildOutfeed(Emitter &emitter, const Node &node) {
  if (node.shapes.back()->element_type() != kToken)
    return emitter.error(node) << "expects a token as its last operand";
  if (node.proto.has_outfeed_shape() && !areSame(node.proto.outfeed_shape(), *node.shapes.front()))
    return emitter.error(node) << "expects the shape of its operand as its outfeed_shape";
  FailureOr<Value> token = makeToken(emitter, node);
  if (failed(token))
    return failure();
  Values operands = node.leaves();
  operands.push_back(*token);
  if (failed(emitter.finish(emitter.create(node, "stablehlo.outfeed", operands, token->getType()))))
    return failure();
  return Values();
}

constexpr Opcode tuples(StringLiteral name, Build build, int operands, int calls = 0) {
  return {name, build, operands, calls, "", /*takesTuples=*/true};
}

constexpr Opcode kOpcodes[] = {
    tuples("add-dependency", buildFirst, 2),
    tuples("after-all", buildToken, Opcode::kAny),
    tuples("call", buildCall, Opcode::kAny, 1),
    tuples("conditional", buildConditional, Opcode::kAny, Opcode::kAny),
    tuples("copy", buildCopy, 1),
    tuples("domain", buildSame, 1),
    tuples("fusion", buildFusion, Opcode::kAny, 1),
    tuples("get-tuple-element", buildGetTupleElement, 1),
    tuples("infeed", buildInfeed, 1),
    tuples("opt-barrier", buildBarrier, 1),
    tuples("outfeed", buildOutfeed, 2),
    tuples("tuple", buildSame, Opcode::kAny),
    tuples("while", buildWhile, 1, 2),
};

} // namespace

ArrayRef<Opcode> controlOpcodes() { return kOpcodes; }

} // namespace systole::hlo
