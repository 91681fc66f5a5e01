// Splits complex numbers into their parts: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_COMPLEX_SPLITTER_H
#define SYSTOLE_COMPILER_LEGALIZE_COMPLEX_SPLITTER_H

#include "compiler/Legalize/Complex/Complex.h"
#include "compiler/Legalize/Planes/Splitter.h"

namespace systole::complex {

/// A ranked tensor of complex numbers.
bool isComplex(mlir::Type type);
inline bool isComplex(mlir::Value value) { return isComplex(value.getType()); }

/// The type of the parts of such a tensor's elements; the element type of a real one.
mlir::Type partType(mlir::Type type);
inline mlir::Type partType(mlir::Value value) { return partType(value.getType()); }

/// The planes are the real and the imaginary parts.
class Splitter : public planes::Splitter {
public:
  using planes::Splitter::isWide;
  bool isWide(mlir::Type type) const override { return isComplex(type); }
  llvm::StringRef elements() const override { return "complex numbers"; }
  mlir::Type entryElement(mlir::RankedTensorType type) const override { return partType(type); }

  /// The parts of a value, for formulas that `b` builds.
  Complex get(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) const;
  void set(mlir::Value value, const Complex &is) {
    setPlanes(value, {is.re.value(), is.im.value()});
  }

protected:
  std::optional<llvm::LogicalResult> rewrite(mlir::Operation *op) override;
  llvm::SmallVector<mlir::Type> elementTypes(mlir::Value value) const override;
};

using RewriteTable = planes::RewriteTable<Splitter>;

void addCreation(RewriteTable &table);
void addElementwise(RewriteTable &table);
void addFourier(RewriteTable &table);
void addLinearAlgebra(RewriteTable &table);
void addProducts(RewriteTable &table);

} // namespace systole::complex

#endif // SYSTOLE_COMPILER_LEGALIZE_COMPLEX_SPLITTER_H
