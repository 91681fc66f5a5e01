// The dialect of portable artifacts: its tables, and the MLIR types of its scalars.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/VHLO/VHLO.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(systole::vhlo::VhloDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(systole::vhlo::VhloAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(systole::vhlo::VhloType)

namespace systole::vhlo {

using namespace coded;

#include "dialects/VHLO/VHLOTables.cpp.inc"

bool isKnown(Version version) { return kOldest <= version && version <= kNewest; }

std::string knownVersions(Version oldest) {
  oldest = std::max(oldest, kOldest);
  return llvm::formatv("{0}.{1} to {2}.{3}", oldest.major, oldest.minor, kNewest.major,
                       kNewest.minor);
}

std::optional<Version> parseVersion(StringRef text) {
  if (text.empty())
    return kNewest;
  Version version;
  unsigned patch;
  if (text.consumeInteger(10, version.major) || !text.consume_front(".") ||
      text.consumeInteger(10, version.minor) ||
      (text.consume_front(".") && text.consumeInteger(10, patch)) || !text.empty())
    return std::nullopt;
  return version;
}

VhloDialect::VhloDialect(MLIRContext *context)
    : CodedDialect(getDialectNamespace(), context, TypeID::get<VhloDialect>(),
                   {kAttributes, kTypes, kOperations}) {
  addAttributes<VhloAttr>();
  addTypes<VhloType>();
  for (const KindInfo &kind : kTypes)
    if (Type builtin = builtinType(kind.code, context))
      scalars[builtin] = VhloType::get(context, Node{&kind, {}, {}, {}, {}});
}

Attribute VhloDialect::attribute(const Node &node) const {
  return VhloAttr::get(getContext(), node);
}
Type VhloDialect::type(const Node &node) const { return VhloType::get(getContext(), node); }
const Node &VhloDialect::nodeOf(Attribute attribute) const {
  return cast<VhloAttr>(attribute).node();
}
const Node &VhloDialect::nodeOf(Type type) const { return cast<VhloType>(type).node(); }

Type VhloDialect::numberType(Type type) const {
  auto scalar = dyn_cast<VhloType>(type);
  return scalar ? builtinType(scalar.node().kind->code, getContext()) : Type();
}

Type VhloDialect::scalarFor(Type builtin) const { return scalars.lookup(builtin); }

static const KindInfo *named(ArrayRef<KindInfo> kinds, StringRef name) {
  return llvm::find_if(kinds, [&](const KindInfo &kind) { return kind.name == name; });
}
const KindInfo *VhloDialect::attributeNamed(StringRef name) const {
  return named(kAttributes, name);
}
const KindInfo *VhloDialect::typeNamed(StringRef name) const { return named(kTypes, name); }

} // namespace systole::vhlo
