// Entry and exit of blocks, and traps of registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Bundles.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/Control.h"

namespace systole::emulation {

[[gnu::cold, gnu::noinline]] bool readTooEarly(Core &core, const Op &op) {
  for (int i = 0; i < op.numReads; ++i)
    if (const int reg = op.reads[size_t(i)]; core.state.ready[size_t(reg)] > core.state.clock)
      return core.failOp(op, TrapKind::ReadTooEarly,
                         absl::StrCat("reads ", registerName(reg), ", which is ready at cycle ",
                                      core.state.ready[size_t(reg)]));
  return false;
}

[[gnu::cold, gnu::noinline]] bool writeConflict(Core &core, const Op &op) {
  return core.failOp(
      op, TrapKind::WriteConflict,
      absl::StrCat("writes ", registerName(op.dest), " at cycle ", core.state.clock + op.latency,
                   ", but an earlier result arrives there at cycle ", core.state.ready[op.dest]));
}

static bool startsCopy(const Code &code, int32_t bundle) {
  const BundleInfo *info = &code.bundles[size_t(bundle)];
  return std::any_of(code.ops.begin() + info[0].firstOp, code.ops.begin() + info[1].firstOp,
                     [](const Op &op) { return op.handler == Handler::Copy; });
}

[[gnu::cold, gnu::noinline]] bool stallsForQueue(Core &core, int32_t bundle) {
  CoreState &state = core.state;
  if (!core.copies.isFull())
    return false;
  // Each bundle looks again, until there is room.
  const int64_t until = std::exchange(state.nextEvent, state.clock);
  if (until == INT64_MAX || !startsCopy(core.code(), bundle))
    return false;
  core.statistics.addTrace(
      {TraceEvent::Kind::Wait, core.index, core.kernel(), state.clock, until, 0});
  core.spend(until - state.clock, &KernelStats::waitCycles);
  state.control.resumeAt = bundle;
  return true;
}

int32_t enterBlock(Core &core, const Block &b) {
  ControlState &control = core.state.control;
  if (control.resumeAt >= 0)
    return std::exchange(control.resumeAt, -1);
  if (!core.instructions.isResident(b.overlay)) {
    control.bundle = b.begin;
    core.state.issued = core.state.clock;
    core.fail(TrapKind::NotResident, absl::StrCat("the bundle belongs to overlay ", b.overlay,
                                                  ", which is not in instruction memory"));
    return -1;
  }
  core.statistics.enter(control, core.state.clock);
  core.known.control = kKnown;
  return b.begin;
}

bool leaveBlock(Core &core, const Block &b) {
  if (core.maxCycles > 0 && core.state.clock > core.maxCycles)
    return core.fail(
        TrapKind::Watchdog,
        absl::StrCat("cycle ", core.state.clock, " is after the last allowed, ", core.maxCycles));
  return transfer(core, b);
}

} // namespace systole::emulation
