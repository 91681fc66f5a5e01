// Shardings of tokens in programs for several devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/TokenShardings.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

static coded::NodeBuilder copyOf(const coded::Node &node) {
  return {node.kind, llvm::to_vector(node.ints), llvm::to_vector(node.attributes),
          llvm::to_vector(node.types), node.bytes.str()};
}

/// `sharding`, of a value without dimensions, for one that has one.
static Attribute withOneDimension(Attribute sharding) {
  auto coded = dyn_cast<sdy::SdyAttr>(sharding);
  if (!coded ||
      !llvm::is_contained({"sharding", "sharding_v2", "sharding_v3"}, coded.node().kind->name) ||
      coded.node().ints.empty() || coded.node().ints[0] != 0 || coded.node().attributes.empty())
    return sharding;
  auto &dialect = *sharding.getContext()->getOrLoadDialect<sdy::SdyDialect>();
  coded::NodeBuilder dimension = dialect.builder("dimension_sharding");
  dimension.ints = {/*axes=*/0, /*isClosed=*/true, /*hasPriority=*/false, /*priority=*/0};
  coded::NodeBuilder node = copyOf(coded.node());
  node.ints[0] = 1;
  node.attributes.insert(node.attributes.begin() + 1, dialect.attribute(dimension.node()));
  return dialect.attribute(node.node());
}

static void addDimensions(Operation *op, StringRef name, TypeRange types) {
  auto coded = op->getAttrOfType<sdy::SdyAttr>(name);
  if (!coded || coded.node().kind->name != "sharding_per_value" ||
      coded.node().attributes.size() != types.size())
    return;
  coded::NodeBuilder node = copyOf(coded.node());
  for (auto [sharding, type] : llvm::zip_equal(node.attributes, types))
    if (isa<stablehlo::TokenType>(type))
      sharding = withOneDimension(sharding);
  op->setAttr(name,
              coded.getContext()->getOrLoadDialect<sdy::SdyDialect>()->attribute(node.node()));
}

void addDimensionsToTokens(Operation *op) {
  addDimensions(op, "sdy.sharding", op->getResultTypes());
  addDimensions(op, "in_shardings", op->getOperandTypes());
  addDimensions(op, "out_shardings", op->getResultTypes());
}

} // namespace systole
