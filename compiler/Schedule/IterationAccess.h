// Memory accesses of single iterations of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_ITERATIONACCESS_H
#define SYSTOLE_COMPILER_SCHEDULE_ITERATIONACCESS_H

#include "compiler/Schedule/Address.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace systole::machine {

/// An instruction that was copied out of a loop's body.
struct IterationCopy {
  InstId copy, original;
  NodeId loop;
  int64_t iteration; // or kAnyIteration: the copy runs in several
};
inline constexpr int64_t kAnyIteration = -1;

/// Describes accesses whose addresses change from iteration to iteration by values that do not:
/// what compares addresses takes equal registers for equal values.
class IterationAccess {
public:
  /// `source` is the function in SSA form of which `addresses` is the analysis.
  IterationAccess(const Function &source, const AddressAnalysis &addresses)
      : source(source), addresses(addresses) {}

  /// `access` in one iteration of `loop`, in terms of values from before the loop.
  MemoryAccess at(const MemoryAccess &access, NodeId loop, int64_t iteration);
  /// `access` in the iteration after that in whose terms it is described.
  MemoryAccess next(const MemoryAccess &access, NodeId loop);

private:
  /// What a loop-carried value is in an iteration: nullopt if that is not known.
  using ValueOf = llvm::function_ref<std::optional<LinearForm>(const Carried &)>;
  MemoryAccess replace(const MemoryAccess &access, NodeId loop, ValueOf value);
  const llvm::DenseSet<RegId> &definedIn(NodeId loop);

  const Function &source;
  const AddressAnalysis &addresses;
  llvm::DenseMap<NodeId, llvm::DenseSet<RegId>> defined;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_ITERATIONACCESS_H
