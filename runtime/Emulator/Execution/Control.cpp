// Transfers between blocks, the end of waits, and loads of overlays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Control.h"
#include "runtime/Emulator/Execution/Arrivals.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

static bool follow(Core &core, Continuation at) {
  ControlState &control = core.state.control;
  for (;;) {
    assert(at >= 0 && size_t(at) < core.code().ends.size() && "the decoder has linked all blocks");
    const EndAction &end = core.code().ends[size_t(at)];
    switch (end.kind) {
    case EndAction::Kind::Back:
      core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
      [[fallthrough]];
    case EndAction::Kind::Goto:
      if (end.target < 0)
        return core.fail(TrapKind::BadControl, "control reaches a place outside all routines");
      control.block = end.target;
      return true;
    case EndAction::Kind::LoopEnd:
      if (control.loops.empty())
        return core.fail(TrapKind::BadControl, "a loop ends that has not begun");
      if (--control.loops.back() > 0) {
        control.block = end.target;
        return true;
      }
      control.loops.pop_back();
      ++at;
      break;
    case EndAction::Kind::Jump:
      core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
      at = end.target;
      break;
    case EndAction::Kind::Fall:
      return core.fail(TrapKind::BadControl, "the routine ends without `ret`");
    }
  }
}

static bool assumeControl(Core &core, const Block &b) {
  ControlState &control = core.state.control;
  core.known.demand->need(core.known.control);
  if (b.transfer == Transfer::Wait)
    return core.fail(TrapKind::Unknown, "a wait depends on data that was not computed");
  ++core.known.assumed[control.block];
  if (b.transfer == Transfer::If) {
    control.value = b.thenIsCostlier;
    return true;
  }
  if (core.assumedTrips < 0 && !core.known.demand->missingStatement())
    core.known.demand->needStatement(core.describe(
        TrapKind::Unknown, "control depends on data that a run for timing only does not compute; "
                           "--assume-trips states the iterations of its loop"));
  // Until the number is stated or computed, once.
  const int64_t trips = core.assumedTrips < 0 ? 1 : core.assumedTrips;
  if (b.transfer == Transfer::Exit) {
    control.value = core.known.turns[control.block] < trips;
  } else {
    control.value = uint32_t(std::min<int64_t>(trips, INT32_MAX));
  }
  return true;
}

// Ends the wait if its flag has reached the value, else the core stays waiting.
static bool endWait(Core &core) {
  ControlState &control = core.state.control;
  const Block &b = core.code().blocks[size_t(control.block)];
  int32_t &flag = core.state.flags[size_t(b.callee)];
  int32_t value = int32_t(control.value);
  if (flag < value) {
    core.state.run = RunState::Waiting;
    return true;
  }
  core.state.run = RunState::Running;
  flag = int32_t(uint32_t(flag) - uint32_t(value));
  return follow(core, b.next);
}

static bool startOverlay(Core &core, const Block &b) {
  ControlState &control = core.state.control;
  if (auto fault = core.instructions.start(b.callee, core.state.clock, core.copies,
                                           core.statistics.of(control)))
    return core.fail(fault->kind, fault->text);
  return true;
}

static bool endOverlay(Core &core, const Block &b) {
  if (core.instructions.isResident(b.callee))
    return true;
  if (!startOverlay(core, b))
    return false;
  const int64_t until = core.instructions.finish(b.callee);
  core.spend(std::max<int64_t>(until - core.state.clock, 0), &KernelStats::overlayCycles);
  return true;
}

bool transfer(Core &core, const Block &b) {
  ControlState &control = core.state.control;
  if (core.known.control != kKnown && !assumeControl(core, b))
    return false;
  switch (b.transfer) {
  case Transfer::Next:
    return follow(core, b.next);
  case Transfer::Loop:
    if (int32_t(control.value) <= 0)
      return follow(core, b.next);
    if (control.loops.size() >= core.timing.loopDepth)
      return core.fail(TrapKind::LoopDepth,
                       absl::StrCat("the target nests ", core.timing.loopDepth, " loops"));
    control.loops.push_back(int32_t(control.value));
    return follow(core, b.taken);
  case Transfer::If: {
    bool holds = control.value != 0;
    if (holds ? b.takenJumps : b.otherJumps)
      core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
    return follow(core, holds ? b.taken : b.other);
  }
  case Transfer::Exit:
    if (core.timingOnly)
      core.known.turns[control.block] =
          control.value != 0 ? core.known.turns[control.block] + 1 : 0;
    if (control.value != 0)
      return follow(core, b.next);
    core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
    return follow(core, b.other);
  case Transfer::Call:
    assert(b.taken >= 0 && "a call leads to a routine");
    if (control.calls.size() >= core.timing.callDepth)
      return core.fail(TrapKind::CallDepth,
                       absl::StrCat("the target nests ", core.timing.callDepth, " calls"));
    core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
    control.calls.push_back({b.next, control.inherited, control.loops.size()});
    control.inherited = core.kernel();
    return follow(core, b.taken);
  case Transfer::Return: {
    if (control.calls.empty())
      return core.fail(TrapKind::BadControl, "`ret` in the routine that runs first");
    Call call = control.calls.back();
    core.spend(core.timing.controlCycles, &KernelStats::controlCycles);
    control.calls.pop_back();
    control.inherited = call.kernel;
    if (control.loops.size() < call.loops)
      return core.fail(TrapKind::BadControl, "a routine ended its caller's loop");
    control.loops.resize(call.loops);
    return follow(core, call.back);
  }
  case Transfer::Halt:
    core.state.clock -= b.lastCycles;
    if (!completeCopies(core))
      return false;
    if (!core.state.copies.inFlight.empty())
      return core.fail(TrapKind::CopiesInFlight,
                       absl::StrCat("copies in flight: ", core.state.copies.inFlight.size(),
                                    ", the next completes at cycle ",
                                    core.state.copies.nextFinish));
    if (!core.state.log.words.empty())
      return core.fail(TrapKind::BadControl, absl::StrCat("the program ends within log message ",
                                                          core.state.log.message));
    core.state.clock += b.lastCycles;
    core.statistics.traceKernel(-1, core.state.clock);
    core.state.run = RunState::Halted;
    return true;
  case Transfer::OverlayStart:
    return startOverlay(core, b) && follow(core, b.next);
  case Transfer::Overlay:
    return endOverlay(core, b) && follow(core, b.next);
  case Transfer::Wait:
    return endWait(core);
  }
  return true;
}

void resume(Core &core) {
  ControlState &control = core.state.control;
  const Block &b = core.code().blocks[size_t(control.block)];
  if (core.state.nextEvent == INT64_MAX) {
    core.fail(TrapKind::Deadlock,
              absl::StrCat("sync flag ", b.callee, " is ", core.state.flags[size_t(b.callee)],
                           ", and nothing in flight can bring it to ", int32_t(control.value)));
    return;
  }
  // The stall comes before the empty cycles after the bundle.
  int64_t until = std::max(core.state.nextEvent + b.lastCycles, core.state.clock);
  if (core.maxCycles > 0 && until > core.maxCycles) {
    core.fail(TrapKind::Watchdog, absl::StrCat("waits until cycle ", until,
                                               ", after the last allowed, ", core.maxCycles));
    return;
  }
  if (until > core.state.clock)
    core.statistics.addTrace(
        {TraceEvent::Kind::Wait, core.index, core.kernel(), core.state.clock, until, 0});
  core.statistics.of(control).waitStartCycles += std::clamp<int64_t>(
      core.state.copies.nextBegin - core.state.clock, 0, until - core.state.clock);
  core.spend(until - core.state.clock, &KernelStats::waitCycles);
  core.state.clock -= b.lastCycles;
  if (!completeCopies(core))
    return;
  core.state.clock += b.lastCycles;
  endWait(core);
}

} // namespace systole::emulation
