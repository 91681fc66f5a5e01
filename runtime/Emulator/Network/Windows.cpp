// The cores of a slice, executed window by window of time.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Network/Windows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/Control.h"

namespace systole::emulation {

Windows::Windows(Cores cores, Network &network, Executor &executor, int threads, int coresPerGroup)
    : cores(cores), network(network), executor(executor), threads(threads),
      coresPerGroup(size_t(coresPerGroup)) {}

void Windows::execute(Core &core, int64_t end, Pausing *pausing) const {
  for (;;) {
    if (pausing && pausing->hasPaused())
      return;
    if (core.state.run == RunState::Running && core.state.clock < end && pausing)
      pausing->run(core, {.cycle = end});
    else if (core.state.run == RunState::Running && core.state.clock < end)
      executor.run(core, {.cycle = end});
    else if (core.state.run == RunState::Waiting && core.state.nextEvent < end)
      resume(core);
    else
      return;
  }
}

void Windows::executeGroup(int group, int64_t end, std::span<Pausing> pausing) const {
  const size_t first = size_t(group) * coresPerGroup;
  for (size_t i = first; i < std::min(first + coresPerGroup, cores.size()); ++i)
    execute(*cores[i], end, pausing.empty() ? nullptr : &pausing[i]);
}

void Windows::executeAll(int64_t end, std::span<Pausing> pausing, JobPool *pool) const {
  const auto groups = int((cores.size() + coresPerGroup - 1) / coresPerGroup);
  TaskJob job(groups, [&](int group) { executeGroup(group, end, pausing); });
  if (pool) {
    pool->start(job);
    pool->finish();
  } else {
    job.runAlone();
  }
}

static std::string placeOf(const Core &core) {
  if (core.state.run == RunState::Halted)
    return absl::StrCat("core ", core.index, " has halted");
  const Block &block = core.code().blocks[size_t(core.state.control.block)];
  const int kernel = core.kernel();
  return absl::StrCat(
      "core ", core.index, " waits in bundle ", core.state.control.bundle,
      kernel < 0 ? ""
                 : absl::StrCat(", kernel `", core.program().header.kernels(kernel).name(), "`,"),
      " until flag ", block.callee, ", which is ", core.state.flags[size_t(block.callee)], ", is ",
      int32_t(core.state.control.value));
}

void Windows::failDeadlock() {
  auto waiting = std::ranges::find_if(
      cores, [](const auto &core) { return core->state.run == RunState::Waiting; });
  std::string others;
  for (const auto &core : cores)
    if (core != *waiting)
      absl::StrAppend(&others, "; ", placeOf(*core));
  resume(**waiting);
  (*waiting)->trap.text += others;
}

Core *Windows::trapped() const {
  Core *first = nullptr;
  for (const auto &core : cores)
    if (core->state.run == RunState::Trapped &&
        (!first || core->state.issued < first->state.issued))
      first = core.get();
  return first;
}

bool Windows::advance(int64_t limit, const std::function<void(Core &)> &guard,
                      std::span<Pausing> pausing) {
  const auto groups = (cores.size() + coresPerGroup - 1) / coresPerGroup;
  JobPool *pool = JobPool::take(int(std::min(size_t(threads), groups)));
  const bool hasEnded = advanceWith(limit, guard, pausing, pool);
  if (pool)
    pool->giveBack();
  return hasEnded;
}

bool Windows::advanceWith(int64_t limit, const std::function<void(Core &)> &guard,
                          std::span<Pausing> pausing, JobPool *pool) {
  for (;;) {
    int64_t begin = INT64_MAX;
    bool runs = false;
    for (const auto &core : cores)
      if (core->state.run == RunState::Trapped) {
        return true;
      } else if (core->state.run != RunState::Halted) {
        runs = true;
        begin = std::min(begin, core->state.due());
      }
    if (!runs)
      return true;
    if (begin == INT64_MAX) {
      failDeadlock();
      return true;
    }
    if (begin >= limit)
      return false;
    executeAll(std::min(limit, begin + network.leastLatency()), pausing, pool);
    if (std::ranges::any_of(pausing, [](const Pausing &each) { return each.hasPaused(); }))
      return false;
    for (const auto &core : cores)
      if (core->state.run != RunState::Trapped)
        guard(*core);
    network.take(cores);
  }
}

} // namespace systole::emulation
