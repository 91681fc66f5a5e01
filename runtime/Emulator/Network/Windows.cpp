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
    : cores(cores), network(network), executor(executor),
      workers(
          std::min<int>(threads, int(cores.size() + size_t(coresPerGroup) - 1) / coresPerGroup)),
      coresPerGroup(size_t(coresPerGroup)) {}

void Windows::execute(Core &core, int64_t end) const {
  for (;;) {
    if (core.state.run == RunState::Running && core.state.clock < end)
      executor.run(core, {.cycle = end});
    else if (core.state.run == RunState::Waiting && core.state.nextEvent < end)
      resume(core);
    else
      return;
  }
}

void Windows::executeAll(int64_t end) {
  workers.run(int((cores.size() + coresPerGroup - 1) / coresPerGroup), [&](int group) {
    const size_t first = size_t(group) * coresPerGroup;
    for (size_t i = first; i < std::min(first + coresPerGroup, cores.size()); ++i)
      execute(*cores[i], end);
  });
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

bool Windows::advance(int64_t limit, const std::function<void(Core &)> &guard) {
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
    executeAll(std::min(limit, begin + network.leastLatency()));
    for (const auto &core : cores)
      if (core->state.run != RunState::Trapped)
        guard(*core);
    network.take(cores);
  }
}

} // namespace systole::emulation
