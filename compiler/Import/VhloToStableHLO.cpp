// Upgrades the VHLO operations of a portable artifact of any version to StableHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "compiler/Import/Rank.h"
#include "compiler/Import/Vhlo/FromVhlo.h"
#include "compiler/Import/Vhlo/Structures.h"
#include "compiler/Import/Vhlo/Tuples.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace systole {

#define GEN_PASS_DEF_VHLOTOSTABLEHLO
#include "compiler/Import/Passes.h.inc"

using namespace coded;

namespace {

constexpr StringLiteral kAliases = "output_operand_aliases";

/// Whether an operation has tuple operands or results, which StableHLO does not have here.
bool isOnTuples(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "vhlo.tuple_v1" || name == "vhlo.get_tuple_element_v1";
}

/// Rebuilds the operations of a module in order. Tuples are flattened into their
/// elements.
class Upgrade {
public:
  explicit Upgrade(MLIRContext *context) : context(context), builder(context), from(context) {}

  LogicalResult run(ModuleOp module) {
    Block old;
    old.getOperations().splice(old.end(), module.getBody()->getOperations());
    for (Operation &op : old)
      op.walk([&](Operation *inner) {
        if (isOnTuples(inner))
          tuples.isKept = false;
      });
    builder.setInsertionPointToEnd(module.getBody());
    LogicalResult result = build(old, /*isInFunction=*/false);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(old))) {
      op.dropAllDefinedValueUses();
      op.erase();
    }
    return result;
  }

private:
  LogicalResult build(Block &block, bool isInFunction);
  LogicalResult build(Operation &op, bool isInFunction);
  LogicalResult buildRegions(Operation &op, Operation *made);
  LogicalResult castValues(Operation &cast);
  LogicalResult operands(Operation &op, SmallVectorImpl<Value> &result);
  LogicalResult makeTuple(Operation &op);
  LogicalResult takeElement(Operation &op);
  LogicalResult dissolveSignature(Operation &op, OperationState &state);
  LogicalResult dissolveAliases(Operation &op, OperationState &state);
  LogicalResult checkSize(Operation &op, Type type);
  LogicalResult types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result);
  LogicalResult attributes(Operation &op, const OpInfo &info, OperationState &state);
  FailureOr<OperationName> nameOf(Operation &op, const OpInfo &info, bool isInFunction);

  MLIRContext *context;
  OpBuilder builder;
  FromVhlo from;
  Tuples tuples;
  size_t held = 0;
  /// The replacements of a value: one, or the elements of a tuple.
  llvm::DenseMap<Value, SmallVector<Value, 1>> values;
};

/// A few nested tuples could expand to any number of elements.
LogicalResult Upgrade::checkSize(Operation &op, Type type) {
  constexpr size_t kMaxHeld = 1 << 22;
  if (tuples.isKept || !isa<TupleType>(type))
    return success();
  held += tuples.count(type);
  if (held > kMaxHeld || tuples.count(type) > Tuples::kMaxElements)
    return op.emitError() << "tuples with too many elements; the limits are "
                          << Tuples::kMaxElements << " in one and " << kMaxHeld << " in all";
  return success();
}

LogicalResult Upgrade::types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result) {
  for (Type type : range) {
    Type made = from.type(type);
    if (!made)
      return emitUnimplemented(&op) << "type " << type << " is not supported";
    if (failed(checkSize(op, made)))
      return failure();
    size_t first = result.size();
    tuples.append(made, result);
    for (Type element : ArrayRef(result).drop_front(first))
      if (auto tensor = dyn_cast<RankedTensorType>(element); tensor && tensor.getRank() > kMaxRank)
        return op.emitError() << "a tensor of " << tensor.getRank()
                              << " dimensions; the maximum is " << kMaxRank;
  }
  return success();
}

LogicalResult Upgrade::operands(Operation &op, SmallVectorImpl<Value> &result) {
  for (Value operand : op.getOperands()) {
    auto made = values.find(operand);
    if (made == values.end())
      return op.emitError() << "a value is used before it is defined";
    llvm::append_range(result, made->second);
  }
  return success();
}

LogicalResult Upgrade::makeTuple(Operation &op) {
  SmallVector<Value> held;
  SmallVector<Type> expected;
  if (failed(operands(op, held)) || failed(types(op, op.getResultTypes(), expected)))
    return failure();
  if (op.getNumResults() != 1 || !llvm::equal(expected, TypeRange(ValueRange(held))))
    return op.emitError() << "a tuple's elements do not match its type";
  values[op.getResult(0)] = llvm::to_vector<1>(held);
  return success();
}

/// Flattens the operand and result indices of a custom call's aliases that refer to tuple elements.
LogicalResult Upgrade::dissolveAliases(Operation &op, OperationState &state) {
  auto aliases = dyn_cast_or_null<ArrayAttr>(state.attributes.get(kAliases));
  if (!aliases || tuples.isKept)
    return success();
  auto types = [&](TypeRange range) {
    return llvm::map_to_vector(range, [&](Type type) { return from.type(type); });
  };
  SmallVector<Type> operands = types(op.getOperandTypes()), results = types(op.getResultTypes());
  SmallVector<Attribute> made;
  for (Attribute each : aliases) {
    auto alias = dyn_cast<stablehlo::OutputOperandAliasAttr>(each);
    if (!alias)
      return success();
    SmallVector<int64_t> operandPath = {alias.getOperandIndex()}, resultPath;
    llvm::append_range(operandPath, alias.getOperandTupleIndices());
    // Several results form a tuple.
    if (results.size() == 1)
      resultPath.push_back(0);
    llvm::append_range(resultPath, alias.getOutputTupleIndices());
    std::optional<int64_t> operand = tuples.leafIndex(operands, operandPath),
                           result = tuples.leafIndex(results, resultPath);
    if (!operand || !result)
      return op.emitError() << "an alias refers to no element of the operands or results: "
                            << alias;
    SmallVector<int64_t> output;
    if (state.types.size() > 1)
      output.push_back(*result);
    made.push_back(stablehlo::OutputOperandAliasAttr::get(context, output, *operand, {}));
  }
  state.attributes.set(kAliases, ArrayAttr::get(context, made));
  return success();
}

/// Replaces the extraction of a tuple element by that element.
LogicalResult Upgrade::takeElement(Operation &op) {
  auto index = dyn_cast_or_null<IntegerAttr>(
      from.attribute(op.getInherentAttr("index").value_or(Attribute())));
  Type type = op.getNumOperands() == 1 ? from.type(op.getOperand(0).getType()) : Type();
  auto tuple = dyn_cast_or_null<TupleType>(type);
  if (!tuple || !index || index.getValue().uge(tuple.size()))
    return op.emitError() << "extracts a tuple element that does not exist";
  size_t number = index.getValue().getZExtValue(), first = 0;
  if (op.getNumResults() != 1 || from.type(op.getResult(0).getType()) != tuple.getType(number))
    return op.emitError() << "extracts a tuple element of another type";
  SmallVector<Value> held;
  SmallVector<Type> taken;
  if (failed(operands(op, held)) || failed(types(op, op.getResultTypes(), taken)))
    return failure();
  for (Type before : tuple.getTypes().take_front(number))
    first += tuples.count(before);
  values[op.getResult(0)] = llvm::to_vector<1>(ArrayRef(held).slice(first, taken.size()));
  return success();
}

/// Replaces tuples in a function's signature by their elements.
LogicalResult Upgrade::dissolveSignature(Operation &op, OperationState &state) {
  if (tuples.isKept)
    return success();
  auto attribute = state.attributes.getNamed("function_type");
  auto type = attribute ? dyn_cast<TypeAttr>(attribute->getValue()) : TypeAttr();
  auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  if (!signature ||
      llvm::none_of(llvm::concat<const Type>(signature.getInputs(), signature.getResults()),
                    llvm::IsaPred<TupleType>))
    return success();
  if (state.attributes.get("arg_attrs") || state.attributes.get("res_attrs"))
    return emitUnimplemented(&op)
           << "attributes of arguments and results are not supported where there "
              "are tuples";
  SmallVector<Type> inputs, results;
  for (auto [from, to] :
       {std::pair(signature.getInputs(), &inputs), std::pair(signature.getResults(), &results)})
    for (Type each : from) {
      if (failed(checkSize(op, each)))
        return failure();
      tuples.append(each, *to);
    }
  state.attributes.set("function_type", TypeAttr::get(FunctionType::get(context, inputs, results)));
  return success();
}

FailureOr<OperationName> Upgrade::nameOf(Operation &op, const OpInfo &info, bool isInFunction) {
  StringRef name = info.name.rsplit("_v").first;
  if (name == "func")
    return OperationName(func::FuncOp::getOperationName(), context);
  if (name == "call")
    return OperationName(func::CallOp::getOperationName(), context);
  if (name == "return" && isInFunction)
    return OperationName(func::ReturnOp::getOperationName(), context);
  OperationName known(("stablehlo." + name).str(), context);
  if (known.isRegistered())
    return known;
  // Types without a StableHLO counterpart, such as tokens, are printed unchanged.
  auto types = [&](TypeRange range) {
    return llvm::map_to_vector(range, [&](Type type) {
      Type made = from.type(type);
      return made ? made : type;
    });
  };
  return emitUnsupported(&op, known.getStringRef(), types(op.getOperandTypes()),
                         types(op.getResultTypes()),
                         from.attribute(op.getInherentAttr(kCallTarget).value_or(Attribute())));
}

LogicalResult Upgrade::attributes(Operation &op, const OpInfo &info, OperationState &state) {
  Parts parts, algorithm;
  auto refuse = [&](StringRef name, Attribute value) {
    return emitUnimplemented(&op) << "attribute '" << name << "' is not supported: " << value;
  };
  for (const OpField &field : info.fields) {
    Attribute value = op.getInherentAttr(field.name).value_or(Attribute());
    Form form = field.form;
    // A field is an integer or a list of integers.
    if (auto part = dyn_cast_or_null<vhlo::VhloAttr>(value);
        form == Form::Part && part && part.kind() == "tensor_v1")
      form = Form::Ints;
    Attribute made = from.attribute(value, form);
    if (!made)
      return refuse(field.name, value);
    if (field.form == Form::Part)
      parts[field.name] = made;
    else if (field.form == Form::Algorithm && !saysNothing(made, field.absent))
      algorithm[field.name] = made;
    else if (field.form != Form::Algorithm && !saysNothing(made, field.absent))
      state.addAttribute(systole::nameOf(field), made);
  }
  if (info.structure != Structure::None) {
    Attribute made = makeStructure(info.structure, parts, context);
    if (!made)
      return op.emitError() << "invalid dimension numbers";
    state.addAttribute(systole::nameOf(info.structure), made);
  }
  if (!algorithm.empty()) {
    Attribute made = makeAlgorithm(algorithm, context);
    if (!made)
      return op.emitError() << "invalid dot algorithm";
    state.addAttribute(kAlgorithm, made);
  }
  for (NamedAttribute attribute : op.getDiscardableAttrs()) {
    Attribute made = from.attribute(attribute.getValue());
    if (!made)
      return refuse(attribute.getName(), attribute.getValue());
    if (!state.attributes.get(attribute.getName()))
      state.addAttribute(attribute.getName(), made);
  }
  return success();
}

/// Casts between dialects' types that are now the same are identities.
LogicalResult Upgrade::castValues(Operation &cast) {
  for (auto [operand, result] : llvm::zip(cast.getOperands(), cast.getResults())) {
    SmallVector<Value, 1> value = values.lookup(operand);
    if (value.size() == 1 && cast.getNumOperands() == cast.getNumResults() &&
        value[0].getType() == from.type(result.getType()))
      values[result] = value;
  }
  for (Value result : cast.getResults())
    if (!values.contains(result))
      return cast.emitError() << "a cast that changes a type is not supported";
  return success();
}

LogicalResult Upgrade::buildRegions(Operation &op, Operation *made) {
  for (auto [old, fresh] : llvm::zip(op.getRegions(), made->getRegions())) {
    if (old.empty())
      continue;
    if (!old.hasOneBlock())
      return op.emitError() << "a region has more than one block";
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&fresh);
    for (BlockArgument argument : old.getArguments()) {
      SmallVector<Type, 1> held;
      if (failed(types(op, argument.getType(), held)))
        return failure();
      SmallVector<Value, 1> made;
      for (Type type : held)
        made.push_back(block->addArgument(type, argument.getLoc()));
      values[argument] = made;
    }
    if (failed(build(old.front(), isa<func::FuncOp>(made))))
      return failure();
  }
  return success();
}

LogicalResult Upgrade::build(Operation &op, bool isInFunction) {
  if (isa<UnrealizedConversionCastOp>(op))
    return castValues(op);
  const OpInfo *info =
      isa<vhlo::VhloDialect>(op.getDialect()) ? operationInfo(op.getName()) : nullptr;
  if (info && info->name == "get_tuple_element_v1")
    return takeElement(op);
  if (info && info->name == "tuple_v1")
    return makeTuple(op);
  FailureOr<OperationName> name =
      info ? nameOf(op, *info, isInFunction) : FailureOr<OperationName>(op.getName());
  if (failed(name))
    return failure();
  OperationState state(op.getLoc(), *name);
  if (failed(operands(op, state.operands)))
    return failure();
  if (failed(types(op, op.getResultTypes(), state.types)))
    return failure();
  if (info && (failed(attributes(op, *info, state)) || failed(dissolveSignature(op, state)) ||
               failed(dissolveAliases(op, state))))
    return failure();
  if (!info)
    state.addAttributes(op.getAttrs());
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *made = builder.create(state);
  // MLIR would silently drop an attribute of the wrong kind.
  for (NamedAttribute attribute : state.attributes)
    if (made->getAttr(attribute.getName()) != attribute.getValue())
      return op.emitError() << "attribute '" << attribute.getName().strref()
                            << "' is not valid for '" << *name << "': " << attribute.getValue();
  ResultRange left = made->getResults();
  for (Value result : op.getResults()) {
    size_t number = tuples.count(from.type(result.getType()));
    values[result] = llvm::to_vector_of<Value, 1>(left.take_front(number));
    left = left.drop_front(number);
  }
  return buildRegions(op, made);
}

LogicalResult Upgrade::build(Block &block, bool isInFunction) {
  for (Operation &op : block)
    if (failed(build(op, isInFunction)))
      return failure();
  return success();
}

struct VhloToStableHLO : impl::VhloToStableHLOBase<VhloToStableHLO> {
  void rewrite() override {
    auto isCoded = [](Operation *op) {
      return isa<UnrealizedConversionCastOp>(op) ||
             isa_and_nonnull<vhlo::VhloDialect>(op->getDialect());
    };
    WalkResult found = getOperation().walk([&](Operation *op) {
      return isCoded(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted() && failed(Upgrade(&getContext()).run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
