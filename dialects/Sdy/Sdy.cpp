// The dialect of shardings, defined by its tables.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Sdy/Sdy.h"

#include "dialects/Sdy/PrintText.h"
#include "dialects/Sdy/ShardingRule.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(systole::sdy::SdyDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(systole::sdy::SdyAttr)

namespace systole::sdy {

using namespace coded;

#include "dialects/Sdy/SdyTables.cpp.inc"

SdyDialect::SdyDialect(MLIRContext *context)
    : CodedDialect(getDialectNamespace(), context, TypeID::get<SdyDialect>(),
                   {kAttributes, kTypes, kOperations}) {
  addAttributes<SdyAttr>();
}

NodeBuilder SdyDialect::builder(StringRef kind) const {
  const auto *found =
      llvm::find_if(kAttributes, [&](const KindInfo &info) { return info.name == kind; });
  NodeBuilder node;
  node.kind = found;
  return node;
}

Attribute SdyDialect::attribute(const Node &node) const { return SdyAttr::get(getContext(), node); }
const Node &SdyDialect::nodeOf(Attribute attribute) const {
  return cast<SdyAttr>(attribute).node();
}

void SdyDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  if (std::optional<std::string> text = textOf(nodeOf(attribute)))
    printer << *text;
  else
    CodedDialect::printAttribute(attribute, printer);
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  // The operations of artifacts are checked once they are StableHLO's.
  if (attribute.getName() != "sdy.sharding_rule" || op->getName().getDialectNamespace() == "vhlo")
    return success();
  return verifyShardingRule(op, attribute.getValue());
}

} // namespace systole::sdy
