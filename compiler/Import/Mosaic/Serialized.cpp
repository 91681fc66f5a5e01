// Operations in Mosaic's serialized form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Serialized.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Mosaic/Kernel.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"
#include "compiler/Import/Mosaic/Upgrade.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace systole {

namespace {

constexpr StringLiteral kPrefix = "stable_mosaic", kVersion = "stable_mosaic.version";
/// Attributes of modules in which large numbers stand for sizes that an exported function leaves
/// open.
constexpr StringLiteral kSymbolicSizes = "tpu.dynamic_dimension_mapping_";

/// Dialects of which a module may have operations.
constexpr StringLiteral kDialects[] = {"arith",  "cf",  "func", "math",
                                       "memref", "scf", "tpu",  "vector"};

/// Attributes that are no part of an operation in MLIR: those of functions, and any with the name
/// of a dialect.
bool mayHave(OperationName operation, StringRef attribute) {
  return attribute.contains('.') ||
         (operation.getStringRef() == "func.func" &&
          llvm::is_contained({kIterationBounds, kDimensionSemantics, kScalarPrefetch,
                              kScratchOperands, kWindowParams},
                             attribute));
}

} // namespace

FailureOr<OperationName> SerializedMosaic::operationName(StringRef dialect, StringRef suffix,
                                                         Location location) {
  if (dialect == "builtin" && suffix == "module" && !version)
    return OperationName(ModuleOp::getOperationName(), location.getContext());
  if (dialect != kPrefix)
    return emitError(location) << "operation '" << dialect << "." << suffix
                               << "' is not in the form of Mosaic modules, 'stable_mosaic.'";
  if (llvm::is_contained(kDialects, suffix.split('.').first))
    if (auto known = RegisteredOperationName::lookup(suffix, location.getContext()))
      return OperationName(*known);
  return emitUnimplemented(location)
         << "operation '" << suffix << "' of a Pallas kernel is not supported";
}

LogicalResult SerializedMosaic::readVersion(OperationState &module) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(module.attributes.get(kVersion));
  if (!attribute || !attribute.getType().isInteger(64))
    return emitError(module.location) << "a Mosaic module without a version";
  version = attribute.getInt();
  if (version < 1 || version > kNewestMosaicVersion)
    return emitUnimplemented(module.location)
           << "Mosaic module of version " << version << "; versions up to " << kNewestMosaicVersion
           << " are known";
  for (NamedAttribute attribute : module.attributes)
    if (attribute.getName().strref().starts_with(kSymbolicSizes))
      return emitUnimplemented(module.location)
             << "a Pallas kernel with symbolic sizes is not supported; they have to be numbers "
                "when the kernel is lowered";
  module.attributes.erase(kVersion);
  return success();
}

FailureOr<Operation *> SerializedMosaic::create(OperationState &state) {
  if (!version) {
    if (failed(readVersion(state)))
      return failure();
    return Operation::create(state);
  }
  if (failed(upgradeMosaic(state, version)))
    return failure();

  // What an operation has in MLIR is checked there; what it does not have there could change what
  // it means.
  SmallVector<NamedAttribute> own, others;
  ArrayRef<StringAttr> names = state.name.getAttributeNames();
  for (NamedAttribute attribute : state.attributes) {
    bool isOwn = llvm::is_contained(names, attribute.getName());
    if (!isOwn && !mayHave(state.name, attribute.getName()))
      return emitUnimplemented(state.location) << "attribute '" << attribute.getName().getValue()
                                               << "' of '" << state.name << "' is not supported";
    (isOwn ? own : others).push_back(attribute);
  }
  state.attributes.assign(others);
  Operation *op = Operation::create(state);
  auto refuse = [&] { return emitError(state.location) << "'" << state.name << "' "; };
  if (!own.empty() && failed(op->setPropertiesFromAttribute(
                          DictionaryAttr::get(state.getContext(), own), refuse))) {
    op->destroy();
    return failure();
  }
  return op;
}

LogicalResult SerializedMosaic::check(ModuleOp module) { return checkKernel(module); }

} // namespace systole
