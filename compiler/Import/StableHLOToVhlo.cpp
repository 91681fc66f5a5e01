// Converts StableHLO to the VHLO of a given version.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"
#include "compiler/Import/Vhlo/FromVhlo.h"
#include "compiler/Import/Vhlo/Structures.h"
#include "compiler/Import/Vhlo/ToVhlo.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

#define GEN_PASS_DEF_STABLEHLOTOVHLO
#include "compiler/Import/Passes.h.inc"

using namespace coded;

namespace {

/// Rebuilds the operations of a module in order.
class Encode {
public:
  Encode(MLIRContext *context, Version version)
      : context(context), version(version), builder(context), to(context, version) {
    auto *dialect = context->getOrLoadDialect<vhlo::VhloDialect>();
    for (const OpInfo &info : dialect->operations()) {
      StringRef name = info.name.rsplit("_v").first;
      if (info.since <= version && (!info.until.isGiven() || version <= info.until))
        operations[name] = &info;
    }
  }

  LogicalResult run(ModuleOp module) {
    Block old;
    old.getOperations().splice(old.end(), module.getBody()->getOperations());
    builder.setInsertionPointToEnd(module.getBody());
    LogicalResult result = build(old);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(old))) {
      op.dropAllDefinedValueUses();
      op.erase();
    }
    return result;
  }

private:
  LogicalResult build(Block &block);
  LogicalResult build(Operation &op);
  LogicalResult attributes(Operation &op, const OpInfo &info, OperationState &state);
  LogicalResult types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result);
  InFlightDiagnostic refuse(Operation &op) {
    return op.emitError() << "StableHLO " << version.major << '.' << version.minor
                          << " cannot represent ";
  }

  MLIRContext *context;
  Version version;
  OpBuilder builder;
  ToVhlo to;
  llvm::StringMap<const OpInfo *> operations;
  IRMapping values;
};

/// The number of dimensions of an operation's window.
int64_t windowRank(Operation &op) {
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    return convolution.getDimensionNumbers().getInputSpatialDimensions().size();
  auto type = op.getNumOperands() ? dyn_cast<ShapedType>(op.getOperand(0).getType()) : nullptr;
  return type && type.hasRank() ? type.getRank() : 0;
}

/// Whether an operation is a custom call whose configuration is a dictionary.
bool isTyped(Operation &op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getApiVersion() == stablehlo::kTypedApiVersion;
}

LogicalResult Encode::types(Operation &op, TypeRange range, SmallVectorImpl<Type> &result) {
  for (Type type : range) {
    result.push_back(to.type(type));
    if (!result.back())
      return refuse(op) << "the type " << type;
  }
  return success();
}

LogicalResult Encode::attributes(Operation &op, const OpInfo &info, OperationState &state) {
  // The operation's attributes, structures split into their fields.
  Parts said;
  StringRef structure = info.structure == Structure::None ? "" : nameOf(info.structure);
  for (NamedAttribute attribute : op.getAttrs()) {
    StringRef name = attribute.getName();
    if (name == structure || (!structure.empty() && name == kAlgorithm)) {
      for (auto &part : partsOf(attribute.getValue()))
        said[part.getKey()] = part.getValue();
      continue;
    }
    said[name] = attribute.getValue();
  }

  SmallVector<NamedAttribute> fields;
  for (const OpField &field : info.fields) {
    Attribute value = said.lookup(nameOf(field));
    said.erase(nameOf(field));
    if (isa_and_nonnull<UnitAttr>(value))
      value = builder.getBoolAttr(true);
    if (auto channel = dyn_cast_or_null<stablehlo::ChannelHandleAttr>(value))
      value = builder.getI64IntegerAttr(channel.getHandle());
    if (!value)
      value = field.absent == Absent::EmptyString && isTyped(op)
                  ? builder.getDictionaryAttr({})
                  : valueOf(field.absent, windowRank(op), context);
    if (!value)
      return op.emitError() << "has no attribute '" << field.name << "'";
    Attribute made = field.form == Form::ApiVersion ? to.apiVersion(value) : to.attribute(value);
    if (!made)
      return refuse(op) << "the attribute '" << field.name << "' " << value;
    fields.emplace_back(StringAttr::get(context, field.name), made);
  }
  if (!fields.empty())
    state.propertiesAttr = DictionaryAttr::get(context, fields);

  // The remaining attributes are discardable, or of a newer version.
  for (NamedAttribute attribute : op.getAttrs()) {
    Attribute value = said.lookup(attribute.getName().strref());
    if (!value)
      continue;
    said.erase(attribute.getName().strref());
    bool isInherent = !op.getDiscardableAttrDictionary().contains(attribute.getName());
    if (isInherent && saysNothing(value, Absent::Accuracy))
      continue;
    Attribute made = isInherent ? Attribute() : to.attribute(value);
    if (!made)
      return refuse(op) << "the attribute '" << attribute.getName().strref() << "' " << value;
    state.addAttribute(attribute.getName(), made);
  }
  // Fields that the version does not have, such as batching dimensions.
  for (auto &part : said)
    if (!saysNothing(part.getValue(), Absent::EmptyTensor))
      return refuse(op) << "'" << part.getKey() << "' " << part.getValue();
  return success();
}

LogicalResult Encode::build(Operation &op) {
  StringRef dialect = op.getName().getDialectNamespace();
  const OpInfo *info = dialect == "stablehlo" || isa<func::FuncDialect>(op.getDialect())
                           ? operations.lookup(op.getName().stripDialect())
                           : nullptr;
  if (!info)
    return refuse(op) << "the operation '" << op.getName() << "'";
  if (info->regions >= 0 && static_cast<unsigned>(info->regions) != op.getNumRegions())
    return refuse(op) << "'" << op.getName() << "' with " << op.getNumRegions() << " regions";
  OperationState state(op.getLoc(), ("vhlo." + info->name).str());
  for (Value operand : op.getOperands()) {
    state.operands.push_back(values.lookupOrNull(operand));
    if (!state.operands.back())
      return op.emitError() << "a value is used before it is defined";
  }
  if (failed(types(op, op.getResultTypes(), state.types)) || failed(attributes(op, *info, state)))
    return failure();
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *made = builder.create(state);
  for (auto [old, fresh] : llvm::zip(op.getResults(), made->getResults()))
    values.map(old, fresh);
  for (auto [old, fresh] : llvm::zip(op.getRegions(), made->getRegions())) {
    if (old.empty())
      continue;
    if (!old.hasOneBlock())
      return refuse(op) << "regions with more than one block";
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&fresh);
    for (BlockArgument argument : old.getArguments()) {
      SmallVector<Type, 1> type;
      if (failed(types(op, argument.getType(), type)))
        return failure();
      values.map(argument, block->addArgument(type[0], argument.getLoc()));
    }
    if (failed(build(old.front())))
      return failure();
  }
  return success();
}

LogicalResult Encode::build(Block &block) {
  for (Operation &op : block)
    if (failed(build(op)))
      return failure();
  return success();
}

struct StableHLOToVhlo : impl::StableHLOToVhloBase<StableHLOToVhlo> {
  using Base::Base;
  void runOnOperation() override {
    std::optional<Version> target = vhlo::parseVersion(version);
    if (!target || *target < vhlo::kOldestWritten || !vhlo::isKnown(*target)) {
      getOperation().emitError() << "'" << version << "' is not a version of StableHLO from "
                                 << vhlo::knownVersions(vhlo::kOldestWritten);
      return signalPassFailure();
    }
    if (failed(Encode(&getContext(), *target).run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
