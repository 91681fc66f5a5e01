// Converts a routine to bundles: blocks in order, control instructions with the lengths of their
// bodies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_CODELAYOUT_H
#define SYSTOLE_COMPILER_EMIT_CODELAYOUT_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"

#include <map>

namespace systole::machine {

/// A call in a routine's code.
struct CallSite {
  uint32_t bundle; // relative to the routine
  uint32_t callee;
  int32_t kernel;
};

/// Calls of a routine that a loop repeats, by their positions in RoutineCode::calls.
struct CallRange {
  uint32_t begin, end;
};

struct RoutineCode {
  std::vector<isa::Bundle> bundles;
  std::vector<uint32_t> locs; // by bundle: index into Module::sources, or kNone
  std::vector<CallSite> calls;
  std::vector<CallRange> loops; // with calls; outer ones first
};

/// The overlays that the calls of an entry need.
struct OverlayUses {
  std::map<uint32_t, int32_t> overlayOf; // by callee; resident ones are absent
  std::vector<int32_t> starts; // by call: the overlay that begins to be loaded before it, or 0
};

struct CodeLayoutOptions {
  bool entry = false; // ends with halt instead of ret
  /// Regions of the routine's spill frames.
  int32_t spillRowsRegion = 0, spillWordsRegion = 0;
  const OverlayUses *overlays = nullptr;
};

RoutineCode layOutCode(const Function &f, const Limits &limits, const CodeLayoutOptions &options);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_CODELAYOUT_H
