// Blocks, whose cells are computed part by part.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Plans/PlannedExecutor.h"

#include <utility>

#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/Execution/Bundles.h"
#include "runtime/Emulator/Execution/CellUnits.h"

namespace systole::emulation {

// Nanoseconds of arithmetic of a job, at least, for which a thread is woken.
static constexpr int64_t kLeastTimeToWake = 30000;

void PlannedExecutor::Waiting::enter(Core &on, JobPool *with, int ofThreads, bool all) {
  core = &on;
  everyPart = all;
  pool = with;
  threads = with ? ofThreads : 1;
  core->maskRows.fill(-1);
  core->memory.helper = pool ? this : nullptr;
  for (size_t i = 0; i < kFifos; ++i)
    depths[i] = core->state.fifos[i].depth;
}

void PlannedExecutor::Waiting::start(int count, std::function<void(int)> part) {
  finish();
  copy = TaskJob(count, std::move(part));
  share(copy);
}

bool PlannedExecutor::Waiting::isWorthSharing(const Plan &plan) const {
  return everyPart ||
         (plan.paysToShare() && (plan.arithmetic >= kLeastTimeToWake || !pool->sleeps()));
}

void PlannedExecutor::Waiting::share(Job &with) {
  pool->start(with);
  isUnderWay = true;
}

void PlannedExecutor::Waiting::leave() {
  finish();
  core->memory.helper = nullptr;
  if (pool)
    pool->giveBack();
  pool = nullptr;
}

void PlannedExecutor::Waiting::begin(const Op *op, bool begins) {
  first = op;
  isPart = begins;
  isEmpty = true;
  masks = 0;
  for (size_t i = 0; i < kFifos; ++i)
    results[i] = core->state.fifos[i].count;
}

void PlannedExecutor::Waiting::finish() {
  if (std::exchange(isUnderWay, false))
    pool->finish();
}

void PlannedExecutor::Waiting::computeOneByOne(const Op *end) {
  finish();
  const int64_t *next = core->waiting.data();
  int64_t count = 0;
  for (const Op *op = first; op != end; ++op)
    if (op->cellTime == CellTime::Later) {
      computeCells(*core, *op, next);
      next += argumentCount(*op);
      ++count;
    }
  core->statistics.countCells(count, false);
  core->waiting.clear();
}

void PlannedExecutor::Waiting::computeBefore(const Op *end) {
  mayHavePlans = true;
  computeOneByOne(end);
  begin(end, false);
}

void PlannedExecutor::Waiting::endPart(PlanStore &plans, const Op *end) {
  if (isEmpty)
    return begin(end, true);
  const Op *ops = core->code().ops.data();
  const auto [plan, mayHavePlan] =
      isPart ? plans.find(uint32_t(first - ops), uint32_t(end - ops), results, depths, everyPart)
             : PlanStore::Found();
  hasCells = true;
  mayHavePlans |= mayHavePlan;
  if (plan) {
    finish();
    core->statistics.countCells(plan->instructions, true);
    std::swap(arguments, core->waiting);
    core->waiting.clear();
    core->waiting.reserve(arguments.room());
    const bool isShared = pool && isWorthSharing(*plan);
    job.prepare(*core, *plan, arguments.data(), isShared ? threads : 1);
    if (isShared && job.steps() > 0)
      share(job);
    else
      job.runAlone();
  } else {
    computeOneByOne(end);
  }
  begin(end, true);
}

bool PlannedExecutor::runBlock(Core &core, Waiting &waiting, const Block &b, int32_t first,
                               int64_t limit) {
  const std::vector<BundleInfo> &bundles = core.code().bundles;
  const Op *ops = core.code().ops.data();
  const Op *begin = ops + bundles[size_t(first)].firstOp,
           *end = ops + bundles[size_t(b.end)].firstOp;
  core.waiting.reserve(size_t(end - begin) * kMostArguments);
  waiting.beginBlock(first == b.begin);
  waiting.begin(begin, first == b.begin);
  const Op *next = begin; // behind the last operation that has passed its checks
  auto complete = [&] {
    if (!core.state.inbox.empty())
      waiting.computeBefore(next);
    return completeCopies(core);
  };
  const bool goesOn = executeBlock(core, b, first, limit, complete, [&](const Op &op) {
    const bool isNow = op.cellTime == CellTime::Now;
    if (isNow || waiting.needsPart(op))
      waiting.endPart(plans, &op);
    if (isNow)
      waiting.finish();
    waiting.prepare(op);
    if (!(isNow ? execute<Mode::Full>(core, op) : execute<Mode::Deferred>(core, op)))
      return false;
    next = &op + 1;
    if (isNow)
      waiting.begin(next, true);
    waiting.note(op);
    return true;
  });
  if (!goesOn) {
    waiting.computeBefore(next);
    return false;
  }
  waiting.endPart(plans, end);
  if (waiting.hasNoPlans())
    plans.interpret(core.state.control.block);
  return true;
}

bool PlannedExecutor::interpretBlock(Core &core, Waiting &waiting, const Block &b, int32_t first,
                                     int64_t limit) {
  waiting.finish();
  core.maskRows.fill(-1);
  int64_t count = 0;
  const bool goesOn = executeBlock(
      core, b, first, limit, [&] { return completeCopies(core); },
      [&](const Op &op) {
        assert(op.handler != Handler::Copy && "nobody would wait for it");
        count += op.cellTime == CellTime::Later;
        return execute<Mode::Full>(core, op);
      });
  core.statistics.countCells(count, false);
  return goesOn;
}

void PlannedExecutor::run(Core &core, const ExecutionLimits &limits) {
  Waiting &waiting = cores[size_t(core.index)];
  waiting.enter(core, JobPool::take(threads), threads, everyPart);
  executeBlocks(core, limits, [&](const Block &b, int32_t first) {
    const bool goesOn = plans.isInterpreted(core.state.control.block)
                            ? interpretBlock(core, waiting, b, first, limits.cycle)
                            : runBlock(core, waiting, b, first, limits.cycle);
    // Messages may arrive.
    if (goesOn && !core.state.inbox.empty())
      waiting.finish();
    return goesOn;
  });
  waiting.leave();
}

} // namespace systole::emulation
