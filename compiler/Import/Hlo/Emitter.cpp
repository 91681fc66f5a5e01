// Converts a graph of HLO to StableHLO operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Emitter.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Hlo/Memories.h"
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Sharding.h"
#include "compiler/Import/Hlo/Types.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace systole::hlo {

/// Nested calls recurse.
static constexpr unsigned kMaxDepth = 256;
/// Inlining computations that are called more than once may grow exponentially.
static constexpr size_t kMaxBuilt = 1 << 20;

Values Node::leaves() const {
  Values all;
  for (const Result *operand : operands)
    llvm::append_range(all, operand->leaves);
  return all;
}

Emitter::Emitter(const Graph &graph, const HloModuleProto &module, ModuleOp into)
    : builder(into.getContext()), graph(graph), module(module), into(into),
      locations(module.stack_frame_index(), into.getContext()),
      functions(graph.computations().size()), open(graph.computations().size()) {}

InFlightDiagnostic Emitter::error(const Node &node) { return emitError(node.location); }
InFlightDiagnostic Emitter::unimplemented(const Node &node) {
  return emitUnimplemented(node.location);
}

Operation *Emitter::create(const Node &node, StringRef name, ValueRange operands, TypeRange types,
                           Attributes attributes, unsigned regions) {
  OperationName known(name, context());
  if (!known.isRegistered()) {
    emitUnimplemented(node.location)
        << "operation '" << name
        << "' is not supported: " << FunctionType::get(context(), operands.getTypes(), types);
    return nullptr;
  }
  OperationState state(node.location, known);
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  Operation *op = builder.create(state);
  addFrontendAttributes(node, op);
  return op;
}

void Emitter::addFrontendAttributes(const Node &node, Operation *op) {
  constexpr StringLiteral kName = "mhlo.frontend_attributes";
  NamedAttrList attributes;
  for (const auto &entry : node.proto.frontend_attributes().map())
    attributes.set(entry.key(), builder.getStringAttr(entry.value()));
  if (!attributes.empty() && !op->hasAttr(kName))
    op->setAttr(kName, attributes.getDictionary(context()));
}

FailureOr<Values> Emitter::finish(Operation *op) {
  if (!op || failed(verify(op, /*verifyRecursively=*/false)))
    return failure();
  return Values(op->getResults());
}

FailureOr<Values> Emitter::make(const Node &node, StringRef name, ValueRange operands,
                                Attributes attributes) {
  return finish(create(node, name, operands, node.types, attributes));
}

FailureOr<Value> Emitter::makeOne(const Node &node, StringRef name, ValueRange operands, Type type,
                                  Attributes attributes) {
  FailureOr<Values> made = finish(create(node, name, operands, type, attributes));
  if (failed(made))
    return failure();
  return made->front();
}

FailureOr<Values> Emitter::makeWithRegions(const Node &node, StringRef name, ValueRange operands,
                                           Attributes attributes) {
  ArrayRef<unsigned> calls = node.instruction.calls;
  Operation *op = create(node, name, operands, node.types, attributes, calls.size());
  if (!op)
    return failure();
  for (auto [region, call] : llvm::zip(op->getRegions(), calls))
    if (failed(fillRegion(region, call, node.location)))
      return failure();
  return finish(op);
}

LogicalResult Emitter::parameterTypes(const Computation &computation, SmallVectorImpl<Type> &types,
                                      SmallVectorImpl<Location> &argumentLocations) {
  for (unsigned position : computation.parameters) {
    const HloInstructionProto &parameter = *computation.instructions[position].proto;
    Location location = locations.of(parameter);
    at = &parameter;
    if (failed(
            appendLeaves(parameter.shape(), context(), types, [&] { return emitError(location); })))
      return failure();
    argumentLocations.resize(types.size(), location);
  }
  return success();
}

LogicalResult Emitter::fillRegion(Region &region, unsigned computation, Location location) {
  SmallVector<Type> types;
  SmallVector<Location> argumentLocations;
  const HloInstructionProto *caller = at;
  if (failed(parameterTypes(graph.computations()[computation], types, argumentLocations)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, {}, types, argumentLocations);
  FailureOr<Values> results = build(computation, llvm::to_vector_of<Value>(block->getArguments()));
  if (failed(results))
    return failure();
  at = caller;
  stablehlo::ReturnOp::create(builder, location, *results);
  return success();
}

FailureOr<Values> Emitter::inlineCall(const Node &node, unsigned computation,
                                      ArrayRef<Value> arguments) {
  const HloInstructionProto *caller = at;
  FailureOr<Values> results = build(computation, arguments);
  if (succeeded(results))
    at = caller;
  return results;
}

FailureOr<func::FuncOp> Emitter::function(const Node &node, unsigned computation) {
  if (functions[computation])
    return functions[computation];
  const HloInstructionProto *caller = at;
  StringRef name = graph.computations()[computation].proto->name();
  FailureOr<func::FuncOp> made = makeFunction(computation, name.empty() ? "function" : name);
  if (failed(made))
    return failure();
  at = caller;
  made->setPrivate();
  return made;
}

FailureOr<func::FuncOp> Emitter::makeFunction(unsigned computation, StringRef name) {
  std::string unique = name.str();
  for (unsigned number = 0; !names.insert(unique).second; ++number)
    unique = (name + "_" + Twine(number)).str();
  SmallVector<Type> types;
  SmallVector<Location> argumentLocations;
  const Computation &body = graph.computations()[computation];
  if (failed(parameterTypes(body, types, argumentLocations)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(into.getBody());
  Location location = locations.of(*body.instructions[body.root].proto);
  auto made = func::FuncOp::create(builder, location, unique, builder.getFunctionType(types, {}));
  Block *block = builder.createBlock(&made.getBody(), {}, types, argumentLocations);
  FailureOr<Values> results = build(computation, llvm::to_vector_of<Value>(block->getArguments()));
  if (failed(results))
    return failure();
  func::ReturnOp::create(builder, location, *results);
  made.setFunctionType(builder.getFunctionType(types, TypeRange(ValueRange(*results))));
  functions[computation] = made;
  return made;
}

LogicalResult Emitter::run() {
  FailureOr<func::FuncOp> entry = makeFunction(graph.entry(), "main");
  if (failed(entry))
    return failure();
  at = nullptr;
  markMemories(*entry, graph.computations()[graph.entry()], module.host_program_shape());
  return markAliases(*entry);
}

FailureOr<Values> Emitter::build(unsigned computation, ArrayRef<Value> arguments) {
  const Computation &body = graph.computations()[computation];
  auto refuse = [&](const Twine &why) {
    return emitError(UnknownLoc::get(context()))
           << "computation '" << body.proto->name() << "' " << why;
  };
  if (open[computation])
    return refuse("calls itself");
  if (depth == kMaxDepth)
    return refuse("is nested deeper than " + Twine(kMaxDepth));
  ++depth;
  open.set(computation);
  auto restore = llvm::make_scope_exit([&] {
    open.reset(computation);
    --depth;
  });
  SmallVector<unsigned> starts = {0};
  for (unsigned parameter : body.parameters)
    starts.push_back(starts.back() + countLeaves(body.instructions[parameter].proto->shape()));
  if (starts.back() != arguments.size())
    return refuse("takes " + Twine(starts.back()) + " arrays and is given " +
                  Twine(arguments.size()));
  std::vector<Result> results(body.instructions.size());
  for (unsigned position = 0; position < results.size(); ++position)
    if (failed(build(body, results, position, arguments, starts)))
      return failure();
  return std::move(results[body.root].leaves);
}

LogicalResult Emitter::checkSharding(const HloInstructionProto &proto, Location location) {
  uint64_t devices = devicesOf(proto.sharding());
  if (devices > 1)
    return emitUnimplemented(location)
           << "the program is divided among " << devices << " devices, which is not supported yet";
  return success();
}

LogicalResult Emitter::build(const Computation &computation, MutableArrayRef<Result> results,
                             unsigned position, ArrayRef<Value> arguments,
                             ArrayRef<unsigned> argumentStarts) {
  const Instruction &instruction = computation.instructions[position];
  const HloInstructionProto &proto = *instruction.proto;
  at = &proto;
  Location location = locations.of(proto);
  const Opcode *opcode = findOpcode(proto.opcode());
  if (!opcode)
    return emitUnimplemented(location) << "opcode '" << proto.opcode() << "' is not supported";
  if (failed(checkSharding(proto, location)))
    return failure();
  Node node{instruction, proto, *opcode, location, {}, {}, {}};
  if (failed(
          appendLeaves(proto.shape(), context(), node.types, [&] { return emitError(location); })))
    return failure();
  built += 1 + node.types.size();
  if (built > kMaxBuilt)
    return emitError(location) << "the module expands to more than " << kMaxBuilt << " operations";
  for (auto [i, operand] : llvm::enumerate(instruction.operands)) {
    node.operands.push_back(&results[operand]);
    node.shapes.push_back(&computation.instructions[operand].proto->shape());
    if (!opcode->takesTuples &&
        (results[operand].leaves.size() != 1 || node.shapes.back()->element_type() == kTuple))
      return emitError(location) << "operand " << i << " is not an array";
  }
  if (opcode->operands != Opcode::kAny && int(node.operands.size()) != opcode->operands)
    return emitError(location) << "expects " << opcode->operands << " operands, has "
                               << node.operands.size();
  if (opcode->calls != Opcode::kAny && int(instruction.calls.size()) != opcode->calls)
    return emitError(location) << "expects " << opcode->calls << " called computations, has "
                               << instruction.calls.size();
  Result &result = results[position];
  if (proto.opcode() == "parameter") {
    const unsigned first = argumentStarts[proto.parameter_number()];
    result.leaves.assign(arguments.slice(first, node.types.size()));
  } else {
    FailureOr<Values> made = opcode->build(*this, node);
    // Others forward values, which are where they were.
    if (succeeded(made) && !opcode->takesTuples)
      made = placeResults(*this, node, *std::move(made));
    if (failed(made))
      return failure();
    result.leaves = *std::move(made);
  }
  if (!llvm::equal(TypeRange(ValueRange(result.leaves)), node.types))
    return emitError(location) << "its shape does not match the computed types: "
                               << TypeRange(node.types) << " instead of "
                               << TypeRange(ValueRange(result.leaves));
  if (proto.shape().element_type() == kTuple) {
    result.starts.push_back(0);
    for (const ShapeProto &part : proto.shape().tuple_shapes())
      result.starts.push_back(result.starts.back() + countLeaves(part));
  }
  return success();
}

/// The leaf number of an element of a shape; nothing if the index does not lead to an array.
static std::optional<unsigned> leafAt(const ShapeProto &shape, ArrayRef<int64_t> index) {
  const ShapeProto *at = &shape;
  unsigned leaf = 0;
  for (int64_t element : index) {
    if (at->element_type() != kTuple || element < 0 || element >= at->tuple_shapes_size())
      return std::nullopt;
    for (int64_t before = 0; before < element; ++before)
      leaf += countLeaves(at->tuple_shapes(before));
    at = &at->tuple_shapes(element);
  }
  return at->element_type() == kTuple || at->element_type() == kToken ? std::nullopt
                                                                      : std::optional(leaf);
}

LogicalResult Emitter::markAliases(func::FuncOp entry) {
  const Computation &body = graph.computations()[graph.entry()];
  SmallVector<unsigned> starts = {0};
  for (unsigned position : body.parameters)
    starts.push_back(starts.back() + countLeaves(body.instructions[position].proto->shape()));
  auto argumentAt = [&](int64_t number, ArrayRef<int64_t> index) -> std::optional<unsigned> {
    if (number < 0 || number >= int64_t(body.parameters.size()))
      return std::nullopt;
    auto leaf = leafAt(body.instructions[body.parameters[number]].proto->shape(), index);
    return leaf ? std::optional(starts[number] + *leaf) : std::nullopt;
  };
  auto refuse = [&](StringRef what) {
    return emitError(UnknownLoc::get(context())) << what << " does not refer to an array";
  };
  auto numbers = [](const auto &field) { return ArrayRef<int64_t>(field.data(), field.size()); };
  const ShapeProto &result = body.instructions[body.root].proto->shape();
  for (const auto &entryProto : module.input_output_alias().entries()) {
    auto argument =
        argumentAt(entryProto.parameter_number(), numbers(entryProto.parameter_shape_index()));
    auto output = leafAt(result, numbers(entryProto.output_shape_index()));
    if (!argument || !output)
      return refuse("input_output_alias");
    entry.setArgAttr(*argument, "tf.aliasing_output", builder.getI32IntegerAttr(*output));
  }
  for (const auto &donor : module.buffer_donor().entries()) {
    auto argument = argumentAt(donor.parameter_number(), numbers(donor.parameter_shape_index()));
    if (!argument)
      return refuse("buffer_donor");
    entry.setArgAttr(*argument, "jax.buffer_donor", builder.getBoolAttr(true));
  }
  return success();
}

} // namespace systole::hlo
