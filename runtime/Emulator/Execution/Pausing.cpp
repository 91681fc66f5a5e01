// The interpreter's loop of a run that pauses, and the words that its instructions access.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Pausing.h"

#include <algorithm>

#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/Execution/Bundles.h"

namespace systole::emulation {

WatchIndex::WatchIndex(const std::vector<WatchedWords> &watches) {
  for (const WatchedWords &watch : watches) {
    const int64_t begin = watch.first / kUnit, end = (watch.first + watch.count - 1) / kUnit;
    if (end - begin >= kMostUnits) {
      large[size_t(watch.space)].push_back(&watch);
      continue;
    }
    for (int64_t unit = begin; unit <= end; ++unit)
      small[size_t(watch.space)][unit].push_back(&watch);
  }
}

bool Pausing::pausesBefore(int32_t bundle) {
  const bool isAtPoint =
      !isFirst && size_t(bundle) < points.bundles.size() && points.bundles[size_t(bundle)];
  if (hits.empty() && !isAtPoint)
    return false;
  paused = Pause{hits};
  return true;
}

int32_t Pausing::nextPause(int32_t bundle, int32_t end) const {
  if (!points.words.empty())
    return bundle + 1;
  for (++bundle; bundle < end && size_t(bundle) < points.bundles.size(); ++bundle)
    if (points.bundles[size_t(bundle)])
      return bundle;
  return end;
}

void Pausing::access(program::Space space, int64_t first, int64_t count, bool isWrite) {
  index.forEach(space, first, count, [&](const WatchedWords &watch) {
    if (!(isWrite ? watch.writes : watch.reads))
      return;
    auto known = std::ranges::find(hits, watch.owner, &WatchHit::owner);
    if (known == hits.end())
      known = hits.insert(hits.end(), WatchHit{watch.owner});
    known->isWrite |= isWrite;
  });
}

// Calls f(first word, words) for what a load or store of VMEM accesses: of rows under a mask, the
// lanes that it has.
template <typename F> static void forEachRun(Core &core, const Op &op, F f) {
  const int address = op.handler == Handler::Store ? 1 : 0;
  const int64_t first = int64_t(core.signedScalar(op, address)) + op.offset,
                stride = core.signedScalar(op, address + 1);
  const uint32_t *mask = op.allCells ? nullptr : core.operand(op, address + 2);
  const int64_t base = core.program().header.regions(op.aux).base();
  for (int s = 0; s < isa::kSublanes; ++s) {
    const int64_t row = (base + ((first + s * stride) >> op.packShift)) * isa::kLanes;
    const uint32_t *cells = mask ? mask + s * isa::kLanes : nullptr;
    for (int lane = 0; lane < isa::kLanes;) {
      int end = lane;
      while (end < isa::kLanes && (!cells || cells[end]))
        ++end;
      if (end > lane)
        f(row + lane, end - lane);
      lane = end + 1;
    }
  }
}

bool Pausing::executeOp(Core &core, const Op &op) {
  // Operands are read before the instruction writes over them.
  if (op.handler == Handler::Load || op.handler == Handler::Store) {
    forEachRun(core, op, [&](int64_t first, int64_t count) {
      access(program::VMEM, first, count, op.handler == Handler::Store);
    });
  } else if (op.handler == Handler::SmemLoad || op.handler == Handler::SmemStore) {
    const bool isStore = op.handler == Handler::SmemStore;
    const int64_t base = core.program().header.regions(op.aux).base();
    access(program::SMEM, base + core.signedScalar(op, isStore ? 1 : 0), 1, isStore);
  }
  const size_t copies = core.state.copies.inFlight.size();
  if (!emulation::execute<Mode::Full>(core, op))
    return false;
  if (op.handler == Handler::Copy && core.state.copies.inFlight.size() > copies) {
    const Copy &copy = core.state.copies.inFlight.back();
    for (const Pattern *pattern : {&copy.src, &copy.dst})
      forEachChunk(*pattern, [&](int64_t at) {
        access(pattern->space, at, pattern->chunk, pattern == &copy.dst);
      });
  }
  return true;
}

bool Pausing::execute(Core &core, const Block &b, int32_t first, int64_t limit) {
  for (int32_t at = first; at < b.end;) {
    if (at > first && pausesBefore(at)) {
      core.state.control.resumeAt = at;
      return false;
    }
    Block part = b;
    part.end = nextPause(at, b.end);
    isFirst = false;
    const bool isDone = executeBlock(
        core, part, at, limit, [&] { return completeCopies(core); },
        [&](const Op &op) {
          return points.words.empty() ? emulation::execute<Mode::Full>(core, op)
                                      : executeOp(core, op);
        });
    for (WatchHit &hit : hits) {
      hit.bundle = core.state.control.bundle;
      hit.core = core.index;
    }
    if (!isDone)
      return false;
    at = part.end;
  }
  return true;
}

void Pausing::run(Core &core, const ExecutionLimits &limits) {
  for (int64_t blocks = limits.blocks;
       blocks > 0 && core.state.run == RunState::Running && core.state.clock < limits.cycle;
       --blocks) {
    const ControlState &control = core.state.control;
    const Block &b = core.code().blocks[size_t(control.block)];
    // Before the block is entered, so that the state is that of a run up to this cycle.
    if (pausesBefore(control.resumeAt >= 0 ? control.resumeAt : b.begin))
      return;
    const int32_t first = enterBlock(core, b);
    if (first < 0 || !execute(core, b, first, limits.cycle) || !leaveBlock(core, b))
      return;
  }
}

} // namespace systole::emulation
