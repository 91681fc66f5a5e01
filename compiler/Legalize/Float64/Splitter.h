// Splits f64 into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_FLOAT64_SPLITTER_H
#define SYSTOLE_COMPILER_LEGALIZE_FLOAT64_SPLITTER_H

#include "compiler/Legalize/Float64/Doubles.h"
#include "compiler/Legalize/Planes/Splitter.h"

namespace systole::float64 {

/// A ranked tensor of f64.
bool isDouble(mlir::Type type);
inline bool isDouble(mlir::Value value) { return isDouble(value.getType()); }

/// The planes are the low and the high words of the bits.
class Splitter : public planes::Splitter {
public:
  using planes::Splitter::isWide;
  bool isWide(mlir::Type type) const override { return isDouble(type); }
  llvm::StringRef elements() const override { return "f64"; }
  mlir::Type entryElement(mlir::RankedTensorType type) const override;

  Words get(mlir::Value value) const;
  void set(mlir::Value value, const Words &is) { setPlanes(value, {is.low, is.high}); }

protected:
  std::optional<llvm::LogicalResult> rewrite(mlir::Operation *op) override;
  bool shareKernel(mlir::Operation *op) const override;
  llvm::SmallVector<mlir::Type> elementTypes(mlir::Value value) const override;
};

using RewriteTable = planes::RewriteTable<Splitter>;

void addConversions(RewriteTable &table);
void addCreation(RewriteTable &table);
void addElementwise(RewriteTable &table);

} // namespace systole::float64

#endif // SYSTOLE_COMPILER_LEGALIZE_FLOAT64_SPLITTER_H
