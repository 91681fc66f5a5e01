// The loop over the bundles of a block, for executors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_BUNDLES_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_BUNDLES_H

#include "dialects/Machine/InstructionSet/Scalars.h"
#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

// Traps of operations whose registers are not ready.
bool readTooEarly(Core &core, const Op &op);
bool writeConflict(Core &core, const Op &op);

// Whether a bundle has to wait until the queue of copies has room for the copy that it starts, and
// the time that this takes. Execution of the block goes on with the bundle.
bool stallsForQueue(Core &core, int32_t bundle);

// The first bundle to execute of the block that control has reached; -1 after a trap.
int32_t enterBlock(Core &core, const Block &b);
// Checks the limit of cycles at the end of a block, and transfers control. False after a trap.
bool leaveBlock(Core &core, const Block &b);

template <Mode mode> bool execute(Core &core, const Op &op) {
  // Of operations without cells that may wait.
  constexpr Mode now = mode == Mode::Deferred ? Mode::Full : mode;
  switch (op.handler) {
  case Handler::Scalar:
    *core.registerAt(op.destOffset) =
        evaluateScalar(op.opcode, core.scalar(op, 0), core.scalar(op, 1), core.scalar(op, 2));
    if constexpr (tracks(mode))
      originAt(core, op.destOffset) = originOfReads(core, op);
    return true;
  case Handler::SmemLoad:
  case Handler::SmemStore:
    return scalarMemory<now>(core, op);
  case Handler::CoreNumber:
  case Handler::FlagRead:
  case Handler::FlagAdd:
  case Handler::FlagSignal:
  case Handler::Trap:
    return flagOrTrap<now>(core, op);
  case Handler::LogWord:
    // Without data there is nothing to say.
    return tracks(mode) || logWord(core, op);
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
    return startCopy<now>(core, op);
  }
  return true;
}

// Executes bundles of a block from `first` on: `complete` takes effect before each bundle at which
// a copy or a message is due, and `execute` is called for each operation whose operands are ready.
// False after a trap, after a stall, or if the bundle to issue next is beyond the limit.
template <bool limited, typename Complete, typename Execute>
bool executeBundles(Core &core, const Block &b, int32_t first, int64_t limit, Complete complete,
                    Execute execute) {
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
    if (state.clock >= state.nextEvent && (!complete() || stallsForQueue(core, i)))
      return false;
    for (const Op *end = code.ops.data() + info[1].firstOp; op != end; ++op) {
      for (int r = 0; r < op->numReads; ++r)
        if (state.ready[op->reads[size_t(r)]] > state.clock)
          return readTooEarly(core, *op);
      if (!execute(*op))
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

// The same, which checks the limit only if the block can reach it.
template <typename Complete, typename Execute>
bool executeBlock(Core &core, const Block &b, int32_t first, int64_t limit, Complete complete,
                  Execute execute) {
  // Without stalls before it, the last bundle issues before the block's cycles have passed.
  if (limit - core.state.clock >= b.cycles)
    return executeBundles<false>(core, b, first, limit, complete, execute);
  return executeBundles<true>(core, b, first, limit, complete, execute);
}

// Executes blocks until a limit, a trap or a wait: `run` executes one from a bundle on, and returns
// false if control does not reach its end.
template <typename Run> void executeBlocks(Core &core, const ExecutionLimits &limits, Run run) {
  for (int64_t blocks = limits.blocks;
       blocks > 0 && core.state.run == RunState::Running && core.state.clock < limits.cycle;
       --blocks) {
    const Block &b = core.code().blocks[size_t(core.state.control.block)];
    const int32_t first = enterBlock(core, b);
    if (first < 0 || !run(b, first) || !leaveBlock(core, b))
      return;
  }
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_BUNDLES_H
