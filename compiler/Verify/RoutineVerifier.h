// Verifies the copies and sync flags of one routine, over all its paths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_ROUTINEVERIFIER_H
#define SYSTOLE_COMPILER_VERIFY_ROUTINEVERIFIER_H

#include "compiler/Verify/SegmentVerifier.h"

#include "absl/status/status.h"

#include <bitset>
#include <set>

namespace systole::verify {

/// The summary of a verified routine for its callers, its callees included. It begins
/// and ends with all of its flags at 0 and without copies in flight.
struct RoutineSummary {
  std::bitset<isa::kSyncFlags> flags; ///< that it uses
  int32_t copies = 0;                 ///< most in flight
  std::vector<RegionUse> regions;     ///< of VMEM and SMEM
  bool isVerified = false;
};

/// Executes the relevant scalars of a routine (RelevantScalars.h). Values that depend on data are
/// unknown; where control depends on one, both ways are followed, and states that become equal are
/// merged. Counted loops run as often as they do on the machine.
class RoutineVerifier {
public:
  RoutineVerifier(const program::ProgramHeader &header, const std::vector<RoutineSummary> &callees)
      : header(header), callees(callees), segments(header) {}

  /// Internal names the first fault; ResourceExhausted if there are too many states, or too many
  /// iterations, to tell.
  absl::Status verify(const RoutineTree &tree, int64_t end);

  const RoutineSummary &summary() const { return found; }

private:
  using States = std::vector<ScalarState>;

  void run(const std::vector<CodeNode> &nodes, States &states);
  void run(const CodeNode &node, States &states);
  /// Issues the node's bundle in a single state, if all of its scalars are known; else does
  /// nothing.
  bool issueKnown(const CodeNode &node, ScalarState &state);
  /// Issues the node's bundle; `operands` are those of its blocks, by state.
  void issue(const CodeNode &node, States &states, llvm::SmallVectorImpl<Value> &operands);
  void runEvent(const CodeNode &node, const Event &event, ScalarState &state);
  void startCopy(const CodeNode &node, const Event &event, ScalarState &state);
  void wait(const CodeNode &node, const Event &event, ScalarState &state);
  void runCall(const CodeNode &node, ScalarState &state);
  // Each follows the blocks of a node from one state to those behind it.
  void runBlocks(const CodeNode &node, Value operand, States &states);
  void runLoop(const CodeNode &node, int32_t count, States &states);
  /// Follows iterations until they end in states that others began with.
  void runUnknownTimes(const CodeNode &node, States &states);
  void reportRisingFlag(const CodeNode &node, const std::set<ScalarState> &heads);
  void runChoice(const CodeNode &node, Value condition, States &states);

  void giveUp(const char *why);
  template <typename... Parts> void fail(int64_t bundle, const Parts &...parts);
  void report(const std::optional<Conflict> &conflict);
  bool hasFailed() const { return !status.ok(); }

  const program::ProgramHeader &header;
  const std::vector<RoutineSummary> &callees;
  SegmentVerifier segments;
  RoutineSummary found;
  const std::vector<bool> *isRegister = nullptr;
  States *behindWhile = nullptr; ///< that leave the innermost `while`
  int64_t nodesLeft = kMostNodes;
  /// Whether scalars were made unknown that are not: then a fault may be none.
  bool isWidened = false;
  absl::Status status;
};

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_ROUTINEVERIFIER_H
