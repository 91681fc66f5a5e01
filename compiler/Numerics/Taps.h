// Values that a program sends to the host while it runs, for comparison: plain data.
// See docs/decisions/numerics.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_NUMERICS_TAPS_H
#define SYSTOLE_COMPILER_NUMERICS_TAPS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// The range of an operand that is an index, or several.
struct IndexBounds {
  unsigned operand = 0;
  int64_t vectorDim = -1;           ///< along which the entries of an index lie; -1: each is one
  std::vector<int64_t> least, most; ///< by entry
  int64_t channel = -1;             ///< to the host
};

/// An operation of the program as the compiler has imported it, with calls inlined, by its number
/// in program order. Its channels carry its first result.
struct TappedOperation {
  int64_t number = 0;
  std::string name;              ///< "add.12"
  std::string operation;         ///< "stablehlo.add"
  std::string type;              ///< of its first result, "tensor<8x128xbf16>"
  std::string source;            ///< "model.py:12:3", or ""
  std::string user;              ///< the innermost line outside of installed packages, or ""
  std::string nameStack;         ///< "jit(step)/mlp/add", or ""
  std::vector<int64_t> operands; ///< numbers of operations, or -1 - the number of an argument
  int loopDepth = 0;             ///< of the loops around it
  bool hasFloats = false;        ///< floating-point numbers in its results
  bool isReturned = false;       ///< a result of the program
  int64_t yieldsTo = -1;         ///< the loop or branch that it is a result of, or -1
  bool isContraction = false;
  bool isAddition = false; ///< or a subtraction
  bool isReduction = false;
  bool isConversion = false;
  bool isMovement = false;    ///< it may leave out numbers of its operands
  bool isElementwise = false; ///< an element of its result depends on the operands' at its index
  /// Channels to the host, or -1: of the result; of the result in wide types for the operands that
  /// the program has; of the larger magnitude of both operands of an addition.
  int64_t value = -1, own = -1, magnitude = -1;
  std::vector<int64_t> otherValues = {};   ///< channels of its other results, if they are tapped
  std::vector<int64_t> operandValues = {}; ///< channels of its operands, if they are tapped
  std::vector<IndexBounds> indices = {};   ///< those of its operands, if they are tapped
};

/// Which values a compilation taps.
struct TapOptions {
  /// Of these operations, whatever they are; nothing: of all that compute floating-point numbers,
  /// rather than move them.
  std::optional<std::vector<int64_t>> only;
  /// Taps the operands of this one, too, wherever they come from.
  std::optional<int64_t> operandsOf;
  /// Taps all results of these operations, not the first ones alone.
  bool allResults = false;
  /// Taps the indices of operations that have some.
  bool indices = false;
  /// Taps what each operation would give in wide types, too.
  bool own = false;
  /// "": the program as it is. "f32" or "f64": floating-point types are widened to it, and products
  /// have the precision `highest`.
  std::string wide;
  /// The wide type of `own`.
  std::string ownType = "f32";
  /// All operations of the program, in program order; filled if not null.
  std::vector<TappedOperation> *operations = nullptr;
};

/// Computes the operations of these numbers in `type`. They read each other's results without
/// rounding; to all others these have the program's types.
struct RaiseOptions {
  std::vector<int64_t> operations;
  std::string type = "f32";
};

} // namespace systole

#endif // SYSTOLE_COMPILER_NUMERICS_TAPS_H
