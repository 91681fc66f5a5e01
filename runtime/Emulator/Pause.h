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
  int32_t owner = 0;                  // the caller's number, by which hits are told
};

// Points at which a run pauses, of each of its cores or of one.
struct PausePoints {
  // By bundle: whether the run pauses before it. Not before the first one that it issues, so that a
  // run that has paused goes on.
  std::vector<bool> bundles;
  // The run pauses behind a bundle that accesses some of these. The words of a copy are accessed
  // when it is issued: until it is done nobody else may.
  std::vector<WatchedWords> words;
  int core = -1; // all

  bool isEmpty() const { return bundles.empty() && words.empty(); }
  bool areOf(int number) const { return core < 0 || core == number; }
};

// Accesses of one bundle to the words of one owner: a write, if it has written some.
struct WatchHit {
  int32_t owner = 0;
  int64_t bundle = -1;
  bool isWrite = false;
  int core = 0;

  bool operator==(const WatchHit &) const = default;
};

// Why a run has paused: before a bundle, or behind accesses.
struct Pause {
  std::vector<WatchHit> hits; // an owner has one of each core
  int core = 0;               // the first one of those that have paused,
  int64_t cycle = 0;          // and when its next bundle issues
  // Whether the state is that of this cycle. Of cores that send, others may have gone further, and
  // messages may be missing: the run cannot go on from there.
  bool isExact = true;
};

// A step that may pause, and whether it has.
struct PausingStep {
  const PausePoints &points;
  // It goes on with a step that has not paused, so that its first bundle may pause it.
  bool isContinued = false;
  std::optional<Pause> pause = {};
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_PAUSE_H
