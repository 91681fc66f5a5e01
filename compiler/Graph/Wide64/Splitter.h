// Splits 64-bit integers into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_WIDE64_SPLITTER_H
#define SYSTOLE_COMPILER_GRAPH_WIDE64_SPLITTER_H

#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Wide64/Ranges.h"
#include "compiler/Graph/Wide64/Words.h"

namespace systole::wide64 {

/// A ranked tensor of i64 or ui64.
bool isWide(mlir::Type type);
inline bool isWide(mlir::Value value) { return isWide(value.getType()); }

/// Rewrites the operations of a block in order, and maps values to their words. The original
/// operations remain until `finish`.
class Splitter {
public:
  explicit Splitter(const IntegerRanges &ranges) : ranges(ranges) {}

  /// Rewrites the operations in `block` that have 64-bit integers, except for its terminator; emits
  /// a diagnostic for unsupported ones.
  llvm::LogicalResult visit(mlir::Block &block);
  /// Erases the original operations.
  void finish();

  const IntegerRanges &ranges;

  /// The type of the single word of a value whose range fits 32 bits: i32 or ui32. Null if the
  /// value takes two words.
  mlir::Type narrowElement(mlir::Value value) const;
  /// The types of a value's words as block arguments and loop-carried values.
  llvm::SmallVector<mlir::Type> wordTypes(mlir::Value value) const;
  /// Appends the words of `value`, as many as `like` has, whose range includes that of `value`;
  /// appends a value of another type itself.
  void appendWords(Expressions &e, mlir::Value value, mlir::Value like,
                   llvm::SmallVectorImpl<mlir::Value> &words);
  /// Consumes as many of `values` as `value` has words, and maps or replaces `value` by them.
  void takeWords(mlir::Value value, mlir::ValueRange &values);
  /// Replaces the arguments of `block` by their words.
  void splitArguments(mlir::Block &block, mlir::ValueRange like);

  Words get(mlir::Value value) const { return words.lookup(value); }
  void set(mlir::Value value, const Words &is) { words[value] = is; }
  /// Both words, whatever the range.
  Words wide(Expressions &e, mlir::Value value) const;
  /// The low word, as elements of i32 or ui32.
  mlir::Value low(Expressions &e, mlir::Value value, mlir::Type element) const;
  /// An index as an i32, saturated.
  mlir::Value position(Expressions &e, mlir::Value value) const;

  /// The type, i32 or ui32, that all 64-bit operands and results of `op` fit; null if none.
  mlir::Type commonNarrowElement(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Value, Words> words;
  llvm::SmallVector<mlir::Operation *> rewritten;
  llvm::SmallVector<mlir::BlockArgument> oldArguments;
};

/// Rewrites an operation: sets the words of its results, or replaces the results.
using Rewrite = llvm::LogicalResult (*)(Splitter &, mlir::Operation *);

class RewriteTable {
public:
  template <typename... Ops> void add(Rewrite rewrite) {
    ((entries[Ops::getOperationName()] = rewrite), ...);
  }
  Rewrite find(llvm::StringRef name) const { return entries.lookup(name); }

  static const RewriteTable &get();

private:
  llvm::StringMap<Rewrite> entries;
};

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
void addMovement(RewriteTable &table);
void addRegions(RewriteTable &table);
void addProducts(RewriteTable &table);

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_GRAPH_WIDE64_SPLITTER_H
