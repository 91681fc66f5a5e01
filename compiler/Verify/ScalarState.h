// The scalars, sync flags and copies in flight of a routine at one place.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_SCALARSTATE_H
#define SYSTOLE_COMPILER_VERIFY_SCALARSTATE_H

#include "compiler/Verify/CopyRange.h"
#include "compiler/Verify/RoutineTree.h"

namespace systole::verify {

// Limits of the effort for one routine, beyond which there is no verdict: states at one place,
// nodes executed (half a second), and segments with different inputs.
inline constexpr size_t kMostStates = 256, kMostSegments = 1 << 18;
inline constexpr int64_t kMostNodes = 1 << 25;

/// A word whose bits are known if `symbol` is 0. Others are equal if their symbols are; of these
/// `isNonzero` is known at most.
struct Value {
  uint32_t bits = 0;
  uint32_t symbol = 0;
  bool isNonzero = false;

  bool isKnown() const { return symbol == 0; }
  bool operator==(const Value &) const = default;
  auto operator<=>(const Value &) const = default;
};

/// A copy that may not be done.
struct CopyInFlight {
  int32_t flag = 0;
  int64_t bundle = 0; // that starts it
  int64_t amount = 1; // what the flag has more when it is done
  CopyChannel channel = CopyChannel::hbm;
  CopyRange source, target;

  bool operator==(const CopyInFlight &) const = default;
  auto operator<=>(const CopyInFlight &) const = default;
};

struct ScalarState {
  std::vector<Value> scalars;
  /// By flag: its value when all copies in flight are done.
  std::array<int64_t, isa::kSyncFlags> flags{};
  std::vector<CopyInFlight> copies; ///< in the order in which they start
  uint32_t symbols = 0;             ///< in use

  bool operator==(const ScalarState &) const = default;
  auto operator<=>(const ScalarState &) const = default;

  Value unknown() { return {0, ++symbols, false}; }
  Value read(Source source) const {
    return source.isConstant ? Value{uint32_t(source.value)} : scalars[size_t(source.value)];
  }
  /// Notes that an unknown value is 0, or is not.
  void refine(uint32_t symbol, bool isNonzero);
  /// Forgets scalars that are not live, and numbers the symbols of the others from 1 on.
  void canonicalize(const llvm::BitVector &live);
};

/// The two results that an instruction may have, or the one twice. The second is of no use unless
/// `isFork`.
struct Outcome {
  Value first, second{};
  bool isFork = false;
};

/// The result of an instruction. A comparison of unknown values is 0 or 1; a selection is one of
/// its operands.
Outcome evaluate(const ScalarInst &inst, ScalarState &state);

/// Brings states into canonical form and drops those that are equal.
void mergeStates(std::vector<ScalarState> &states, const llvm::BitVector &live);

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_SCALARSTATE_H
