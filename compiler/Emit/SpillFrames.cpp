// Assigns spill frames to routines.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/SpillFrames.h"

#include "compiler/Diagnostics/Debug.h"

#include <algorithm>
#include <cassert>

#define DEBUG_TYPE "systole-spill-frames"

namespace systole::machine {

absl::StatusOr<SpillFrames> placeSpillFrames(const Module &module) {
  size_t count = module.functions.size();
  SpillFrames frames;
  frames.base.resize(count);
  std::vector<int64_t> depth(count);
  // The call graph is acyclic, so this many rounds reach every routine.
  bool changed = true;
  for (size_t round = 0; changed; ++round) {
    if (round > count)
      return absl::InvalidArgumentError("a routine calls itself");
    changed = false;
    for (size_t r = 0; r < count; ++r) {
      const Function &f = module.functions[r];
      forEachNode(f, f.body, [&](NodeId n) {
        if (f.nodes[n].kind != Node::Kind::Call)
          return;
        auto raise = [&](int64_t &value, int64_t least) {
          changed |= value < least;
          value = std::max(value, least);
        };
        uint32_t callee = f.nodes[n].callee;
        assert(callee < count && "no such routine");
        raise(frames.base[callee].rows, frames.base[r].rows + f.spillRows);
        raise(frames.base[callee].words, frames.base[r].words + f.spillWords);
        raise(depth[callee], depth[r] + 1);
      });
    }
  }
  for (size_t r = 0; r < count; ++r) {
    const Function &f = module.functions[r];
    frames.size.rows = std::max(frames.size.rows, frames.base[r].rows + f.spillRows);
    frames.size.words = std::max(frames.size.words, frames.base[r].words + f.spillWords);
    frames.callDepth = std::max(frames.callDepth, depth[r]);
    if (!callsOthers(f))
      frames.leafWords = std::max<int64_t>(frames.leafWords, f.spillWords);
  }
  return frames;
}

void restrictFrames(const SpillFrames &frames, int64_t words, BackendOptions &options) {
  words = std::max<int64_t>(words, 0);
  options.leafWords = std::min(frames.leafWords, words / 2);
  options.callerWords = (words - options.leafWords) / std::max<int64_t>(frames.callDepth, 1);
  assert(options.leafWords + options.callerWords * frames.callDepth <= words &&
         "the frames of a chain of calls fit");
  LLVM_DEBUG(llvm::dbgs() << "spill frames take " << frames.size.words << " words of SMEM, "
                          << words << " are free: " << options.leafWords << " for leaves, "
                          << options.callerWords << " for each caller\n");
}

} // namespace systole::machine
