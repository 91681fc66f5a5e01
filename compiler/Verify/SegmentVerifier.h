// Verifies that code between copies and waits does not touch what copies in flight use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_SEGMENTVERIFIER_H
#define SYSTOLE_COMPILER_VERIFY_SEGMENTVERIFIER_H

#include "compiler/Verify/ScalarState.h"

#include "llvm/ADT/Hashing.h"

#include <optional>
#include <unordered_set>

namespace systole::verify {

/// An access to memory of a copy in flight.
struct Conflict {
  int64_t bundle = 0;
  CopyInFlight copy;
  bool writes = false; ///< whether the access does
};

/// Runs the addresses of segments. All loops are executed, so a segment is run once for all places
/// at which it begins with the same copies in flight and the same scalars that addresses depend on.
/// Addresses that depend on data are not checked.
class SegmentVerifier {
public:
  explicit SegmentVerifier(const program::ProgramHeader &header) : header(header) {}

  /// The first conflict of a segment that begins in `state`.
  std::optional<Conflict> verify(const CodeNode &segment, const ScalarState &state);
  /// The first conflict of the accesses of one bundle.
  std::optional<Conflict> verifyBundle(const CodeNode &node, const ScalarState &state) const;
  /// Whether segments have taken too long to be run to their ends.
  bool isExhausted() const { return nodesLeft < 0 || verified.size() > kMostSegments; }

private:
  void run(const std::vector<CodeNode> &nodes, ScalarState &state);
  void run(const CodeNode &node, ScalarState &state);
  void runLoop(const CodeNode &node, Value count, ScalarState &state);
  void runUnknownTimes(const CodeNode &node, ScalarState &state);
  static void forget(const std::vector<CodeNode> &nodes, ScalarState &state);

  const program::ProgramHeader &header;
  /// The inputs of a verdict: the segment, the scalars that are its inputs, the copies.
  using Key = std::vector<int64_t>;
  static Key keyOf(const CodeNode &segment, const ScalarState &state);
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };
  std::unordered_set<Key, KeyHash> verified;
  std::optional<Conflict> conflict;
  int64_t nodesLeft = kMostNodes;
};

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_SEGMENTVERIFIER_H
