// The loops over blocks, bundles and operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Interpreter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Scalars.h"
#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/Execution/Control.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

template <Mode mode> static bool execute(Core &core, const Op &op) {
  switch (op.handler) {
  case Handler::Scalar:
    *core.registerAt(op.destOffset) =
        evaluateScalar(op.opcode, core.scalar(op, 0), core.scalar(op, 1), core.scalar(op, 2));
    if constexpr (tracks(mode))
      originAt(core, op.destOffset) = originOfReads(core, op);
    return true;
  case Handler::SmemLoad:
  case Handler::SmemStore:
    return scalarMemory<mode>(core, op);
  case Handler::CoreNumber:
  case Handler::FlagRead:
  case Handler::FlagAdd:
  case Handler::FlagSignal:
  case Handler::Trap:
    return flagOrTrap<mode>(core, op);
  case Handler::ControlValue:
    core.state.control.value = core.scalar(op, 0);
    if constexpr (tracks(mode))
      core.known.control = originOf(core, op, 0);
    return true;
  case Handler::Load:
    return load<mode>(core, op);
  case Handler::Store:
    return store<mode>(core, op);
  case Handler::Lanes:
  case Handler::RotateSublanes:
  case Handler::GatherSublanes:
  case Handler::CommitVector:
  case Handler::CommitMask:
    return vectorOp<mode>(core, op);
  case Handler::CommitScalar:
    *core.registerAt(op.destOffset) = core.scalar(op, 0);
    if constexpr (tracks(mode))
      originAt(core, op.destOffset) = originAt(core, op.operands[0]);
    return true;
  case Handler::Rotate:
  case Handler::Broadcast:
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::Transpose:
  case Handler::TransposeEnd:
    return pushXlu<mode>(core, op);
  case Handler::Eup:
  case Handler::ToScalar:
    return pushCells<mode>(core, op);
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return latch<mode>(core, op);
  case Handler::Swap:
    return swapWeights<mode>(core, op);
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide:
    return pushArray<mode>(core, op);
  case Handler::PopVector:
  case Handler::PopScalar:
    return pop<mode>(core, op);
  case Handler::Copy:
    return startCopy<mode>(core, op);
  }
  return true;
}

[[gnu::cold, gnu::noinline]] static bool readTooEarly(Core &core, const Op &op) {
  for (int i = 0; i < op.numReads; ++i)
    if (const int reg = op.reads[size_t(i)]; core.state.ready[size_t(reg)] > core.state.clock)
      return core.failOp(op, TrapKind::ReadTooEarly,
                         absl::StrCat("reads ", registerName(reg), ", which is ready at cycle ",
                                      core.state.ready[size_t(reg)]));
  return false;
}

[[gnu::cold, gnu::noinline]] static bool writeConflict(Core &core, const Op &op) {
  return core.failOp(
      op, TrapKind::WriteConflict,
      absl::StrCat("writes ", registerName(op.dest), " at cycle ", core.state.clock + op.latency,
                   ", but an earlier result arrives there at cycle ", core.state.ready[op.dest]));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

// Executes bundles of a block from `first` on. False after a trap, or if the bundle to issue next
// is beyond the limit.
template <Mode mode, bool limited>
static bool executeBundles(Core &core, const Block &b, int32_t first, int64_t limit) {
  CoreState &state = core.state;
  const Code &code = core.code();
  const BundleInfo *info = &code.bundles[size_t(first)];
  const Op *op = code.ops.data() + info->firstOp;
  for (int32_t i = first; i < b.end; ++i, ++info) {
    if (limited && state.clock >= limit) {
      state.control.resumeAt = i;
      return false;
    }
    state.control.bundle = i;
    state.issued = state.clock;
    if (state.clock >= state.nextEvent && !completeCopies(core))
      return false;
    for (const Op *end = code.ops.data() + info[1].firstOp; op != end; ++op) {
      for (int r = 0; r < op->numReads; ++r)
        if (state.ready[op->reads[size_t(r)]] > state.clock)
          return readTooEarly(core, *op);
      if (!execute<mode>(core, *op))
        return false;
      if (op->dest != kNoRegister) {
        int64_t &slot = state.ready[op->dest];
        int64_t arrival = state.clock + op->latency;
        if (slot > state.clock && slot >= arrival)
          return writeConflict(core, *op);
        slot = arrival;
      }
    }
    state.clock += info->cycles;
  }
  return true;
}

template <Mode mode>
static bool executeBlock(Core &core, const Block &b, int32_t first, int64_t limit) {
  // Without stalls before it, the last bundle issues before the block's cycles have passed.
  if (limit - core.state.clock >= b.cycles)
    return executeBundles<mode, false>(core, b, first, limit);
  return executeBundles<mode, true>(core, b, first, limit);
}

// Timing only: whether the kernel that control has reached is computed.
static bool isComputed(Core &core) {
  const Demand &demand = *core.known.demand;
  const int kernel = core.kernel(), now = demand.callOf(kernel);
  const bool is = demand.computes(kernel);
  if (now != core.known.call && is) {
    // It finds nothing in vector registers that was computed, and in VMEM at most scalars that
    // control between kernels has spilled.
    if (!demand.computes(-1))
      core.known.rows.forgetVmem();
    std::fill(core.known.registers.begin() + kVectorBase, core.known.registers.end(), kNever);
  }
  core.known.call = now;
  return is;
}

// The first bundle to execute of the block that control has reached; -1 after a trap.
static int32_t enter(Core &core, const Block &b) {
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

template <bool timingOnly> static void runBlocks(Core &core, const ExecutionLimits &limits) {
  CoreState &state = core.state;
  for (int64_t blocks = limits.blocks;
       blocks > 0 && state.run == RunState::Running && state.clock < limits.cycle; --blocks) {
    const Block &b = core.code().blocks[size_t(state.control.block)];
    const int32_t first = enter(core, b);
    if (first < 0)
      return;
    bool goesOn;
    if constexpr (!timingOnly)
      goesOn = executeBlock<Mode::Full>(core, b, first, limits.cycle);
    else
      goesOn = isComputed(core) ? executeBlock<Mode::Known>(core, b, first, limits.cycle)
                                : executeBlock<Mode::Clock>(core, b, first, limits.cycle);
    if (!goesOn)
      return;
    if (core.maxCycles > 0 && state.clock > core.maxCycles) {
      core.fail(TrapKind::Watchdog, absl::StrCat("cycle ", state.clock,
                                                 " is after the last allowed, ", core.maxCycles));
      return;
    }
    if (!transfer(core, b))
      return;
  }
}

void Interpreter::run(Core &core, const ExecutionLimits &limits) {
  core.timingOnly ? runBlocks<true>(core, limits) : runBlocks<false>(core, limits);
}

} // namespace systole::emulation
