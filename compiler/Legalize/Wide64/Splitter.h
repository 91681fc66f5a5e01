// Splits 64-bit integers into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_WIDE64_SPLITTER_H
#define SYSTOLE_COMPILER_LEGALIZE_WIDE64_SPLITTER_H

#include "compiler/Legalize/Planes/Splitter.h"
#include "compiler/Legalize/Wide64/Ranges.h"
#include "compiler/Legalize/Wide64/Words.h"

namespace systole::wide64 {

/// A ranked tensor of i64 or ui64.
bool isWide(mlir::Type type);
inline bool isWide(mlir::Value value) { return isWide(value.getType()); }

/// The planes are words: two, or a single one if the range of the elements fits it.
class Splitter : public planes::Splitter {
public:
  explicit Splitter(const IntegerRanges &ranges) : ranges(ranges) {}

  const IntegerRanges &ranges;

  using planes::Splitter::isWide;
  using planes::Splitter::planesLike;
  bool isWide(mlir::Type type) const override { return wide64::isWide(type); }
  llvm::StringRef elements() const override { return "64-bit integers"; }
  llvm::SmallVector<mlir::Value> planesLike(mlir::Operation *op, mlir::Value value,
                                            mlir::Value like) override;
  llvm::SmallVector<mlir::Value> entryPlanes(mlir::Operation *op, mlir::Value value) override;
  mlir::Type entryElement(mlir::RankedTensorType type) const override;
  mlir::Value position(mlir::Operation *op, mlir::Value index) override;

  /// The type of the single word of a value whose range fits 32 bits: i32 or ui32. Null if the
  /// value takes two words.
  mlir::Type narrowElement(mlir::Value value) const;

  Words get(mlir::Value value) const;
  void set(mlir::Value value, const Words &is);
  /// Both words, whatever the range.
  Words wide(Expressions &e, mlir::Value value) const;
  /// The low word, as elements of i32 or ui32.
  mlir::Value low(Expressions &e, mlir::Value value, mlir::Type element) const;

  /// The type, i32 or ui32, that all 64-bit operands and results of `op` fit; null if none.
  mlir::Type commonNarrowElement(mlir::Operation *op) const;

protected:
  std::optional<llvm::LogicalResult> rewrite(mlir::Operation *op) override;
  llvm::SmallVector<mlir::Type> elementTypes(mlir::Value value) const override;
};

using RewriteTable = planes::RewriteTable<Splitter>;

/// The largest depth for which the byte products that start at the same byte, up to eight for each
/// element, have a sum of less than 2^32.
inline constexpr int64_t kMaxDepth = 1 << 13;
/// The largest number of chunks of that depth in one contraction.
inline constexpr int64_t kMaxParts = 64;

/// Rewrites deeper contractions as batched contractions over chunks, and sums of these.
void splitDeepProducts(mlir::Operation *root);

void addArithmetic(RewriteTable &table);
void addBits(RewriteTable &table);
void addDivision(RewriteTable &table);
void addConversions(RewriteTable &table);
void addCreation(RewriteTable &table);
void addProducts(RewriteTable &table);

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_LEGALIZE_WIDE64_SPLITTER_H
