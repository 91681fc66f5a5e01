// The interpreter's loop of a run that pauses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Pause.h"

namespace systole::emulation {

// Finds the watched ranges that an access meets.
class WatchIndex {
public:
  explicit WatchIndex(const std::vector<WatchedWords> &watches);

  // Calls f(watch) for each range that has some of these words; for some more than once.
  template <typename F>
  void forEach(program::Space space, int64_t first, int64_t count, F f) const {
    auto consider = [&](const WatchedWords *watch) {
      if (first < watch->first + watch->count && watch->first < first + count)
        f(*watch);
    };
    for (const WatchedWords *watch : large[size_t(space)])
      consider(watch);
    if (const auto &units = small[size_t(space)]; !units.empty())
      for (int64_t unit = first / kUnit; unit <= (first + count - 1) / kUnit; ++unit)
        if (auto known = units.find(unit); known != units.end())
          for (const WatchedWords *watch : known->second)
            consider(watch);
  }

private:
  // Words by which small ranges are found, and the most units of such a range.
  static constexpr int64_t kUnit = isa::kLanes, kMostUnits = 64;
  using Watches = std::vector<const WatchedWords *>;
  std::array<Watches, program::Space_ARRAYSIZE> large;
  std::array<std::unordered_map<int64_t, Watches>, program::Space_ARRAYSIZE> small; // by unit
};

// Where one step of a run pauses, and whether it has.
class Pausing {
public:
  // `core` is where the run goes on, at a cycle.
  Pausing(const PausingStep &step, const Core &core, int64_t cycle)
      : points(step.points), index(step.points.words),
        isFirst(core.state.run == RunState::Running && core.state.due() == cycle &&
                !step.isContinued) {}

  bool hasPaused() const { return paused.has_value(); }
  // Also where the step has ended behind an access.
  std::optional<Pause> pause(const Core &core) const {
    if (!paused && hits.empty())
      return std::nullopt;
    return Pause{hits, core.index,
                 core.state.due() == INT64_MAX ? core.state.clock : core.state.due()};
  }

  // Executes as Executor::run does, and until the run pauses. The core computes all values.
  void run(Core &core, const ExecutionLimits &limits);

private:
  // Whether the run pauses before a bundle that is to issue.
  bool pausesBefore(int32_t bundle);
  // The first bundle behind `bundle`, of a block that ends at `end`, before which it may pause.
  int32_t nextPause(int32_t bundle, int32_t end) const;
  // False if control does not reach the block's end.
  bool execute(Core &core, const Block &b, int32_t first, int64_t limit);
  bool executeOp(Core &core, const Op &op);
  void access(program::Space space, int64_t first, int64_t count, bool isWrite);

  const PausePoints &points;
  WatchIndex index;
  bool isFirst; // nothing has issued since the run paused
  std::vector<WatchHit> hits;
  std::optional<Pause> paused;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H
