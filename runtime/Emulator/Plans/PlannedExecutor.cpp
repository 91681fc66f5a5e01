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

// Nanoseconds that a job takes, at least, before threads share it.
static constexpr int64_t kLeastTime = 3000, kLeastTimeToWake = 30000;

void PlannedExecutor::Waiting::enter(Core &on, JobPool *with, int ofThreads, bool all) {
  core = &on;
  sharesAll = all;
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
  return sharesAll || (plan.arithmetic >= plan.movement &&
                       plan.arithmetic >= (pool->sleeps() ? kLeastTimeToWake : kLeastTime));
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
  core->statistics.countCells(end - first, false);
  const int64_t *next = core->waiting.data();
  for (const Op *op = first; op != end; ++op)
    if (op->cellTime == CellTime::Later) {
      computeCells(*core, *op, next);
      next += argumentCount(*op);
    }
  core->waiting.clear();
}

void PlannedExecutor::Waiting::computeBefore(const Op *end) {
  computeOneByOne(end);
  begin(end, false);
}

void PlannedExecutor::Waiting::endPart(PlanStore &plans, const Op *end) {
  if (isEmpty)
    return begin(end, true);
  const Op *ops = core->code().ops.data();
  const Plan *plan =
      isPart ? plans.find(uint32_t(first - ops), uint32_t(end - ops), results, depths) : nullptr;
  if (plan) {
    finish();
    core->statistics.countCells(end - first, true);
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
  if (goesOn)
    waiting.endPart(plans, end);
  else
    waiting.computeBefore(next);
  return goesOn;
}

void PlannedExecutor::run(Core &core, const ExecutionLimits &limits) {
  Waiting &waiting = cores[size_t(core.index)];
  waiting.enter(core, JobPool::take(threads), threads, sharesAll);
  for (int64_t blocks = limits.blocks;
       blocks > 0 && core.state.run == RunState::Running && core.state.clock < limits.cycle;
       --blocks) {
    const Block &b = core.code().blocks[size_t(core.state.control.block)];
    const int32_t first = enterBlock(core, b);
    if (first < 0 || !runBlock(core, waiting, b, first, limits.cycle))
      break;
    // Messages may arrive.
    if (!core.state.inbox.empty())
      waiting.finish();
    if (!leaveBlock(core, b))
      break;
  }
  waiting.leave();
}

} // namespace systole::emulation
