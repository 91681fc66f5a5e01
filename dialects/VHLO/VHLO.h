// The operations, attributes and types of portable artifacts, version by version.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_VHLO_VHLO_H
#define SYSTOLE_DIALECTS_VHLO_VHLO_H

#include "dialects/Coded/Coded.h"

namespace systole::vhlo {

/// The first version with StableHLO's full guarantees, and the oldest that is written.
constexpr coded::Version kOldestWritten = {1, 0};
/// Whether artifacts of this version of StableHLO are read.
bool isKnown(coded::Version version);
/// The known ones from `oldest` on, as "1.0 to 1.9"; all without.
std::string knownVersions(coded::Version oldest = {});
/// Parses "1.9" or "1.9.2"; an empty string is the newest version. std::nullopt for any other text.
std::optional<coded::Version> parseVersion(llvm::StringRef text);

/// Any attribute of the dialect; its kind is in the node.
class VhloAttr
    : public mlir::Attribute::AttrBase<VhloAttr, mlir::Attribute, coded::AttributeNodeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.attribute";
  const coded::Node &node() const { return getImpl()->node; }
  llvm::StringRef kind() const { return node().kind->name; }
  static VhloAttr get(mlir::MLIRContext *context, const coded::Node &node) {
    return Base::get(context, node);
  }
};

/// Any type of the dialect.
class VhloType : public mlir::Type::TypeBase<VhloType, mlir::Type, coded::TypeNodeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.type";
  const coded::Node &node() const { return getImpl()->node; }
  llvm::StringRef kind() const { return node().kind->name; }
  static VhloType get(mlir::MLIRContext *context, const coded::Node &node) {
    return Base::get(context, node);
  }
};

/// Portable artifacts as MLIR. An operation has the semantics of the StableHLO operation of the
/// same name without `_vN`, to which `systole-vhlo-to-stablehlo` converts it.
class VhloDialect : public coded::CodedDialect {
public:
  explicit VhloDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }

  mlir::Attribute attribute(const coded::Node &node) const override;
  mlir::Type type(const coded::Node &node) const override;
  const coded::Node &nodeOf(mlir::Attribute attribute) const override;
  const coded::Node &nodeOf(mlir::Type type) const override;
  mlir::Type numberType(mlir::Type type) const override;

  /// The kind of that name, which must exist.
  const coded::KindInfo *attributeNamed(llvm::StringRef name) const;
  const coded::KindInfo *typeNamed(llvm::StringRef name) const;
  /// The type without fields that stands for a type of MLIR; null if there is none.
  mlir::Type scalarFor(mlir::Type builtin) const;

private:
  llvm::DenseMap<mlir::Type, mlir::Type> scalars;
};

} // namespace systole::vhlo

MLIR_DECLARE_EXPLICIT_TYPE_ID(systole::vhlo::VhloDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(systole::vhlo::VhloAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(systole::vhlo::VhloType)

#endif // SYSTOLE_DIALECTS_VHLO_VHLO_H
