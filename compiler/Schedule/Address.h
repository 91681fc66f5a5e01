// Static analysis of the addresses of loads and stores, and alias queries for pairs of
// them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_ADDRESS_H
#define SYSTOLE_COMPILER_SCHEDULE_ADDRESS_H

#include "compiler/Schedule/MachineFunction.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace systole::machine {

/// constant + the sum of coefficient * register over a few registers.
struct LinearForm {
  struct Term {
    RegId reg;
    int64_t coefficient;
    bool operator==(const Term &) const = default;
  };
  static constexpr int kMaxTerms = 4;
  int64_t constant = 0;
  int count = 0;
  Term terms[kMaxTerms]; // ascending registers, no zero coefficients

  /// nullopt if the sum has too many terms.
  static std::optional<LinearForm> sum(const LinearForm &a, const LinearForm &b, int64_t scale);
  /// The form over the registers that `name` gives for its own, which have the same values.
  LinearForm renamed(llvm::function_ref<RegId(RegId)> name) const;
  /// Whether the forms differ by a constant.
  bool hasTermsOf(const LinearForm &other) const;
};

/// Expresses the scalars of a function as linear forms over scalars that are not computed by
/// additions and multiplications by constants.
class AddressAnalysis {
public:
  explicit AddressAnalysis(const Function &f);

  LinearForm form(const Operand &o) const;
  /// The increment of a loop-carried scalar per iteration, if constant.
  std::optional<int64_t> step(RegId phi) const;
  /// Whether two loop-carried scalars are equal in each iteration, if their loops are one.
  bool areEqual(const Carried &a, const Carried &b) const;
  /// Whether a form always is a multiple of `number`, as far as that is known.
  bool isMultiple(const LinearForm &form, int64_t number) const;

private:
  /// Lets loop-carried scalars of one loop that are always equal have one name in all forms: those
  /// of fused loops (LoopFusion.h).
  void mergeEqualValues(const Function &f);

  std::vector<LinearForm> forms; // per register; by default the register itself
  std::vector<std::pair<RegId, int64_t>> steps;
  llvm::DenseMap<RegId, int64_t> divisors; // of loop-carried scalars that begin with constants
  std::vector<bool> known;
};

/// One load or store: rows [low, high] relative to `address`, at distance `stride`, of which `pack`
/// share a physical row.
struct MemoryAccess {
  LinearForm address;
  int64_t low = 0, high = 0;
  int64_t stride = 0;
  bool bounded = true; // false: low and high are unknown
  int64_t pack = 1;
  /// Consecutive rows that begin and end with physical ones, which they need not share with others.
  bool wholeRows = false;
  int32_t region = 0;
  bool store = false;
  StreamOrder order;
};
MemoryAccess describeAccess(const Function &f, const AddressAnalysis &analysis, InstId i);

/// All loads and stores of a function, by instruction. Computed in SSA form; remains valid when
/// registers get several definitions.
std::vector<MemoryAccess> describeAccesses(const Function &f, const AddressAnalysis &analysis);

/// Alias queries for pairs of accesses of one function.
class AliasAnalysis {
public:
  AliasAnalysis(const Module &module, const AddressAnalysis &addresses)
      : module(module), addresses(addresses) {}

  bool regionsOverlap(int32_t a, int32_t b) const;
  /// Whether `a` and `b`, in the same iteration of all loops, may access the same row.
  bool mayOverlap(const MemoryAccess &a, const MemoryAccess &b) const;
  /// The smallest distance d >= 1 such that `a` in iteration i and `b` in iteration i + d of a
  /// loop may access the same row; nullopt if there is none. `variant` flags the registers that
  /// change between iterations. With `equalOrDisjoint` the loop has the property of
  /// Node::equalOrDisjoint.
  std::optional<int64_t> carriedDistance(const MemoryAccess &a, const MemoryAccess &b,
                                         llvm::function_ref<bool(RegId)> variant,
                                         bool equalOrDisjoint = false) const;

private:
  const Module &module;
  const AddressAnalysis &addresses;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_ADDRESS_H
