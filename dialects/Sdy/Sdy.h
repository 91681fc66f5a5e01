// Shardings in portable artifacts of sharded programs, and in the text that JAX writes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_SDY_SDY_H
#define SYSTOLE_DIALECTS_SDY_SDY_H

#include "dialects/Coded/Coded.h"

namespace systole::sdy {

/// On `kernel.send` and `kernel.recv`: the `sdy.sharding` of the transfer that they are of.
inline constexpr llvm::StringLiteral kTransferShardingAttr = "sdy.transfer_sharding";

/// Any attribute of the dialect; its kind is in the node.
class SdyAttr
    : public mlir::Attribute::AttrBase<SdyAttr, mlir::Attribute, coded::AttributeNodeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "sdy.attribute";
  const coded::Node &node() const { return getImpl()->node; }
};

class SdyDialect : public coded::CodedDialect {
public:
  explicit SdyDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "sdy"; }

  /// A node of the kind of this name.
  coded::NodeBuilder builder(llvm::StringRef kind) const;

  mlir::Attribute attribute(const coded::Node &node) const override;
  const coded::Node &nodeOf(mlir::Attribute attribute) const override;

  // Shardy's own text, and that of coded dialects.
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter &printer) const override;
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  mlir::ParseResult parseOperation(mlir::OpAsmParser &parser,
                                   mlir::OperationState &state) const override;

  /// Checks sharding rules of operations whose types are MLIR's.
  mlir::LogicalResult verifyOperationAttribute(mlir::Operation *op,
                                               mlir::NamedAttribute attribute) override;
};

} // namespace systole::sdy

MLIR_DECLARE_EXPLICIT_TYPE_ID(systole::sdy::SdyDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(systole::sdy::SdyAttr)

#endif // SYSTOLE_DIALECTS_SDY_SDY_H
