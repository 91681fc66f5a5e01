// Verification of the discardable attributes of the `kernel` dialect.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Attributes.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace systole::kernel;

namespace {

/// What a value must be, for diagnostics, and whether one is.
struct ValueKind {
  StringLiteral name;
  bool (*holds)(Attribute);
};

constexpr ValueKind kUnit = {"the unit attribute", [](Attribute a) { return isa<UnitAttr>(a); }};
constexpr ValueKind kInteger = {"an integer", [](Attribute a) { return isa<IntegerAttr>(a); }};
constexpr ValueKind kIntegers32 = {"an array of 32-bit integers",
                                   [](Attribute a) { return isa<DenseI32ArrayAttr>(a); }};
constexpr ValueKind kIntegers64 = {"an array of 64-bit integers",
                                   [](Attribute a) { return isa<DenseI64ArrayAttr>(a); }};
constexpr ValueKind kType = {"a type", [](Attribute a) { return isa<TypeAttr>(a); }};
constexpr ValueKind kText = {"a string", [](Attribute a) { return isa<StringAttr>(a); }};
constexpr ValueKind kMark = {"the unit attribute or an integer",
                             [](Attribute a) { return isa<UnitAttr, IntegerAttr>(a); }};

template <typename... Elements> bool isArrayOf(Attribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute);
  return array && llvm::all_of(array, llvm::IsaPred<Elements...>);
}
constexpr ValueKind kLayouts = {"an array of #kernel.layout", isArrayOf<LayoutAttr>};
constexpr ValueKind kRegions = {"an array of #kernel.hbm_region", isArrayOf<HbmRegionAttr>};
constexpr ValueKind kPlacements = {"an array of #kernel.placement", isArrayOf<PlacementAttr>};
constexpr ValueKind kTransfers = {"an array of #kernel.transfer", isArrayOf<TransferAttr>};
constexpr ValueKind kHostArrays = {"an array of #kernel.host_array", isArrayOf<HostArrayAttr>};
constexpr ValueKind kParts = {"an array of arrays of 64-bit integers",
                              isArrayOf<DenseI64ArrayAttr>};
constexpr ValueKind kDictionaries = {"an array of dictionaries", isArrayOf<DictionaryAttr>};
constexpr ValueKind kNamedPlaces = {
    "an array of pairs of a name and a location", [](Attribute attribute) {
      auto array = dyn_cast<ArrayAttr>(attribute);
      return array && llvm::all_of(array, [](Attribute element) {
               auto pair = dyn_cast<ArrayAttr>(element);
               return pair && pair.size() == 2 && isa<StringAttr>(pair[0]) &&
                      isa<LocationAttr>(pair[1]);
             });
    }};
constexpr ValueKind kElements = {"an array of types, or the unit attribute for none",
                                 isArrayOf<TypeAttr, UnitAttr>};
constexpr ValueKind kOrder = {"an order", [](Attribute a) { return isa<OrderAttr>(a); }};
constexpr ValueKind kLayout = {"a layout", [](Attribute a) { return isa<LayoutAttr>(a); }};

using Kinds = llvm::StringMap<ValueKind>;

const Kinds &kindsOnOperations() {
  static const Kinds kinds = {
      {kLayoutsAttr, kLayouts},  {kOrderAttr, kOrder},        {kAscendingAttr, kUnit},
      {kExchangedAttr, kUnit},   {kSinglePassAttr, kUnit},    {kDepthBlocksAttr, kIntegers64},
      {kPerRowAttr, kUnit},      {kExpandedAttr, kMark},      {kAccessAttr, kText},
      {kHostComputeAttr, kUnit}, {kMosaicAttr, kUnit},        {kStagedAttr, kUnit},
      {kDecisionAttr, kInteger}, {kInPlaceAttr, kIntegers32}, {kUninitializedAttr, kUnit},
  };
  return kinds;
}

const Kinds &kindsOnModules() {
  static const Kinds kinds = {
      {kHbmPlanAttr, kRegions},         {kPinnedPlanAttr, kRegions},
      {kHbmRowsAttr, kInteger},         {kAllocationsAttr, kDictionaries},
      {kVmemPlanAttr, kPlacements},     {kConstantsAttr, kDictionaries},
      {kSignatureAttr, kType},          {kArgumentsAttr, kIntegers32},
      {kResultsAttr, kIntegers32},      {kArgumentLayoutsAttr, kLayouts},
      {kResultLayoutsAttr, kLayouts},   {kArgumentElementsAttr, kElements},
      {kResultElementsAttr, kElements}, {kArgumentSizesAttr, kIntegers64},
      {kResultSizesAttr, kIntegers64},  {kTransfersAttr, kTransfers},
      {kHostArraysAttr, kHostArrays},   {kFirstTapAttr, kInteger},
      {kCoresAttr, kInteger},           {kArgumentPartsAttr, kParts},
      {kResultPartsAttr, kParts},       {kWholeOperationsAttr, kNamedPlaces},
  };
  return kinds;
}

const Kinds &kindsOnEntryValues() {
  static const Kinds kinds = {
      {kLayoutAttr, kLayout},
      {kEntryLayoutAttr, kLayout},
      {kElementAttr, kType},
      {kDynamicDimAttr, kInteger},
  };
  return kinds;
}

/// Checks that `attribute` is one of `kinds`, and its value.
LogicalResult verifyKind(Operation *op, NamedAttribute attribute, const Kinds &kinds,
                         StringRef holder) {
  auto kind = kinds.find(attribute.getName());
  if (kind == kinds.end())
    return op->emitOpError() << attribute.getName().getValue()
                             << ": no attribute of the kernel dialect on " << holder;
  if (!kind->second.holds(attribute.getValue()))
    return op->emitOpError() << attribute.getName().getValue() << ": expects " << kind->second.name
                             << ", found " << attribute.getValue();
  return success();
}

LogicalResult verifyEntryValue(Operation *op, ArrayRef<Type> types, unsigned index,
                               NamedAttribute attribute) {
  if (failed(verifyKind(op, attribute, kindsOnEntryValues(), "arguments and results")))
    return failure();
  auto layout = dyn_cast<LayoutAttr>(attribute.getValue());
  return layout ? verifyEntryLayout(op, types[index], attribute.getName(), layout) : success();
}

} // namespace

LogicalResult KernelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  bool isOnModule = isa<ModuleOp>(op);
  if (failed(verifyKind(op, attribute, isOnModule ? kindsOnModules() : kindsOnOperations(),
                        isOnModule ? "modules" : "operations")))
    return failure();
  StringRef name = attribute.getName();
  if (name == kTransfersAttr)
    return verifyTransfers(op, cast<ArrayAttr>(attribute.getValue()));
  if (name == kHostArraysAttr)
    return verifyHostArrays(op, cast<ArrayAttr>(attribute.getValue()));
  if (name == kLayoutsAttr)
    return verifyLayouts(op, cast<ArrayAttr>(attribute.getValue()));
  return success();
}

LogicalResult KernelDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                      NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyEntryValue(op, function.getArgumentTypes(), index, attribute) : success();
}

LogicalResult KernelDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                         NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyEntryValue(op, function.getResultTypes(), index, attribute) : success();
}
