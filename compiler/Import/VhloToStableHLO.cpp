// Makes StableHLO of what a portable artifact holds, whatever its version.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "compiler/Import/Rank.h"
#include "compiler/Import/Vhlo/FromVhlo.h"
#include "compiler/Import/Vhlo/Structures.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

#define GEN_PASS_DEF_VHLOTOSTABLEHLO
#include "compiler/Import/Passes.h.inc"

using namespace coded;

namespace {

/// Builds the operations of a module anew, in order.
class Upgrade {
public:
  explicit Upgrade(MLIRContext *context) : context(context), builder(context), from(context) {}

  LogicalResult run(ModuleOp module) {
    Block old;
    old.getOperations().splice(old.end(), module.getBody()->getOperations());
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
  LogicalResult types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result);
  LogicalResult attributes(Operation &op, const OpInfo &info, OperationState &state);
  FailureOr<OperationName> nameOf(Operation &op, const OpInfo &info, bool isInFunction);

  MLIRContext *context;
  OpBuilder builder;
  FromVhlo from;
  IRMapping values;
};

LogicalResult Upgrade::types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result) {
  for (Type type : range) {
    result.push_back(from.type(type));
    if (!result.back())
      return emitLack(&op) << "type " << type << " is not supported";
    if (auto tensor = dyn_cast<RankedTensorType>(result.back());
        tensor && tensor.getRank() > kMaxRank)
      return op.emitError() << "a tensor of " << tensor.getRank() << " dimensions; the most is "
                            << kMaxRank;
  }
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
  // What has no StableHLO type, such as a token, is shown as it is.
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
    return emitLack(&op) << "attribute '" << name << "' is not supported: " << value;
  };
  for (const OpField &field : info.fields) {
    Attribute value = op.getInherentAttr(field.name).value_or(Attribute());
    Form form = field.form;
    // A part is a number or a list of them.
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
      return op.emitError() << "numbers of dimensions are not understood";
    state.addAttribute(systole::nameOf(info.structure), made);
  }
  if (!algorithm.empty()) {
    Attribute made = makeAlgorithm(algorithm, context);
    if (!made)
      return op.emitError() << "the arithmetic that is asked for is not understood";
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

/// Where an artifact mixes dialects, values are cast between types that are the same now.
LogicalResult Upgrade::castValues(Operation &cast) {
  for (auto [operand, result] : llvm::zip(cast.getOperands(), cast.getResults())) {
    Value value = values.lookupOrNull(operand);
    if (value && cast.getNumOperands() == cast.getNumResults() &&
        value.getType() == from.type(result.getType()))
      values.map(result, value);
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
      SmallVector<Type, 1> type;
      if (failed(types(op, argument.getType(), type)))
        return failure();
      values.map(argument, block->addArgument(type[0], argument.getLoc()));
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
  FailureOr<OperationName> name =
      info ? nameOf(op, *info, isInFunction) : FailureOr<OperationName>(op.getName());
  if (failed(name))
    return failure();
  OperationState state(op.getLoc(), *name);
  for (Value operand : op.getOperands()) {
    state.operands.push_back(values.lookupOrNull(operand));
    if (!state.operands.back())
      return op.emitError() << "a value is used before it is defined";
  }
  if (failed(types(op, op.getResultTypes(), state.types)))
    return failure();
  if (info && failed(attributes(op, *info, state)))
    return failure();
  if (!info)
    state.addAttributes(op.getAttrs());
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *made = builder.create(state);
  // An attribute of another kind than the operation takes is dropped without a word.
  for (NamedAttribute attribute : state.attributes)
    if (made->getAttr(attribute.getName()) != attribute.getValue())
      return op.emitError() << "attribute '" << attribute.getName().strref() << "' is not what '"
                            << *name << "' takes: " << attribute.getValue();
  for (auto [old, fresh] : llvm::zip(op.getResults(), made->getResults()))
    values.map(old, fresh);
  return buildRegions(op, made);
}

LogicalResult Upgrade::build(Block &block, bool isInFunction) {
  for (Operation &op : block)
    if (failed(build(op, isInFunction)))
      return failure();
  return success();
}

struct VhloToStableHLO : impl::VhloToStableHLOBase<VhloToStableHLO> {
  void runOnOperation() override {
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
