// Where a run in steps pauses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PAUSE_H
#define SYSTOLE_RUNTIME_EMULATOR_PAUSE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "dialects/Machine/Program/program.pb.h"

namespace systole {

// Words of one memory of a core whose accesses pause a run. Of HBM and pinned memory they are those
// of the program's plan.
struct WatchedWords {
  program::Space space = program::VMEM;
  int64_t first = 0, count = 0;
  bool reads = false, writes = false; // which accesses
};

// What pauses a run of one core.
struct PausePoints {
  // By bundle: whether the run pauses before it. Not before the first one that it issues, so that a
  // run that has paused goes on.
  std::vector<bool> bundles;
  // The run pauses behind a bundle that accesses some of these. The words of a copy are accessed
  // when it is issued: until it is done nobody else may.
  std::vector<WatchedWords> words;

  bool isEmpty() const { return bundles.empty() && words.empty(); }
};

// An access to watched words.
struct WatchHit {
  size_t watch = 0; // index into PausePoints::words
  int64_t bundle = 0;
  bool isWrite = false;

  bool operator==(const WatchHit &) const = default;
};

// Why a run has paused: before a bundle, or behind an access.
struct Pause {
  std::optional<WatchHit> hit;
};

// A step that may pause, and whether it has.
struct PausingStep {
  const PausePoints &points;
  std::optional<Pause> pause = {};
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_PAUSE_H
