// The executor that checks every hazard when an instruction issues, as the interpreter does, and
// computes cells later, by plans.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANNEDEXECUTOR_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANNEDEXECUTOR_H

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Plans/PlanJob.h"
#include "runtime/Emulator/Plans/PlanStore.h"
#include "runtime/Emulator/Threads/JobPool.h"

namespace systole::emulation {

class PlannedExecutor final : public Executor {
public:
  // For so many cores of a program, whose plans have to outlive it. Cells are computed on so many
  // of the host's threads, together with the one that runs a core: those of large parts, or of all.
  PlannedExecutor(PlanStore &plans, int cores, int threads, bool everyPart)
      : plans(plans), threads(threads), everyPart(everyPart), cores(size_t(cores)) {
    plans.prepare();
  }

  void run(Core &core, const ExecutionLimits &limits) override;

private:
  // The operations of one core whose cells wait: those of the part that has begun, and of the last
  // one that has ended, which threads compute meanwhile.
  class Waiting final : public CopyHelper {
  public:
    // With a pool, or null.
    void enter(Core &core, JobPool *with, int ofThreads, bool all);
    void leave();

    // A run of operations begins at one: a part, unless a part was interrupted there.
    void begin(const Op *first, bool isPart);
    // A block begins, or an interrupted one goes on; and whether all its parts have been found to
    // have no plan, of which one that was interrupted says nothing.
    void beginBlock(bool isWhole) {
      hasCells = false;
      mayHavePlans = !isWhole;
    }
    bool hasNoPlans() const { return hasCells && !mayHavePlans; }
    // The part that has begun ends before an operation, and the next one begins.
    void endPart(PlanStore &plans, const Op *end);
    // All cells before an operation, which may be inside of a part, are computed.
    void computeBefore(const Op *end);
    // The parts that have ended are computed.
    void finish();

    // Whether which rows an operation accesses waits for cells of the part that has begun.
    bool needsPart(const Op &op) const {
      return op.rowMask != kNoRegister && masks >> op.rowMask & 1;
    }
    // Before an operation that is checked.
    void prepare(const Op &op) {
      if (op.rowMask != kNoRegister && core->maskRows[op.rowMask] < 0)
        finish();
    }
    // Behind one.
    void note(const Op &op) {
      isEmpty &= op.cellTime != CellTime::Later;
      if (op.maskResult == kNoRegister)
        return;
      masks |= 1u << op.maskResult;
      core->maskRows[op.maskResult] = -1;
    }

    void start(int count, std::function<void(int)> part) override;

  private:
    void computeOneByOne(const Op *end);
    bool isWorthSharing(const Plan &plan) const;
    void share(Job &with);

    Core *core = nullptr;
    JobPool *pool = nullptr;
    int threads = 1;
    bool everyPart = false;
    const Op *first = nullptr; // of the present run
    bool isPart = false, isEmpty = true;
    bool hasCells = false, mayHavePlans = false; // of the block
    ResultCounts results{}, depths{};
    uint32_t masks = 0; // that it has written
    PlanJob job;
    TaskJob copy;
    bool isUnderWay = false;
    WaitingArguments arguments; // of the job
  };

  bool runBlock(Core &core, Waiting &waiting, const Block &b, int32_t first, int64_t limit);
  bool interpretBlock(Core &core, Waiting &waiting, const Block &b, int32_t first, int64_t limit);

  PlanStore &plans;
  const int threads;
  const bool everyPart;
  std::vector<Waiting> cores;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANNEDEXECUTOR_H
