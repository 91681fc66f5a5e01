// Integers of 64 bits as words of 32 bits: what all families of operations share.
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

/// Rewrites operations one by one, those of a block in their order, and knows the words of what it
/// has rewritten. The old operations stay until `finish`.
class Splitter {
public:
  explicit Splitter(const IntegerRanges &ranges) : ranges(ranges) {}

  /// Rewrites what has 64-bit integers in `block`, but for its terminator; a diagnostic at what
  /// cannot be.
  llvm::LogicalResult visit(mlir::Block &block);
  /// Erases what was rewritten.
  void finish();

  const IntegerRanges &ranges;

  /// The type of the only word of a value whose numbers are known to fit 32 bits: i32 or ui32.
  /// Null where it takes two.
  mlir::Type narrowElement(mlir::Value value) const;
  /// The types of a value's words as block arguments and carried values have them.
  llvm::SmallVector<mlir::Type> wordTypes(mlir::Value value) const;
  /// Appends the words of `value`, in the form of `like`, the values of which include it; of
  /// other types than 64-bit integers the value itself.
  void appendWords(Expressions &e, mlir::Value value, mlir::Value like,
                   llvm::SmallVectorImpl<mlir::Value> &words);
  /// Takes the next values of `values` as the words of `value`, or replaces it by the next one.
  void takeWords(mlir::Value value, mlir::ValueRange &values);
  /// Gives `block` arguments for the words of those it has.
  void splitArguments(mlir::Block &block, mlir::ValueRange like);

  Words get(mlir::Value value) const { return words.lookup(value); }
  void set(mlir::Value value, const Words &is) { words[value] = is; }
  /// Both words, whatever the range.
  Words wide(Expressions &e, mlir::Value value) const;
  /// The low word, as elements of i32 or ui32.
  mlir::Value low(Expressions &e, mlir::Value value, mlir::Type element) const;
  /// A position as an i32: what lies outside of i32 is the nearest number inside.
  mlir::Value position(Expressions &e, mlir::Value value) const;

  /// The type, i32 or ui32, that all 64-bit operands and results of `op` fit; null for none.
  mlir::Type commonNarrowElement(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Value, Words> words;
  llvm::SmallVector<mlir::Operation *> rewritten;
  llvm::SmallVector<mlir::BlockArgument> oldArguments;
};

/// Rewrites one operation; its results' words are set, or the results replaced.
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

/// Elements of which all products of bytes that begin at the same byte, up to eight for each, have
/// a sum of less than 2^32.
inline constexpr int64_t kMaxDepth = 1 << 13;
/// Parts of that many products, one after the other.
inline constexpr int64_t kMaxParts = 64;

/// Makes contractions with more parts batches of parts, and their sums.
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
