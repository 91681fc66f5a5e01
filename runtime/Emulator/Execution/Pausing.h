// The interpreter's loop of a run that pauses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H

#include <optional>

#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Executor.h"
#include "runtime/Emulator/Pause.h"

namespace systole::emulation {

// Where one call of Emulator::advance pauses, and whether it has.
class Pausing {
public:
  // `core` is where the run goes on.
  Pausing(const PausePoints &points, const Core &core)
      : points(points), isFirst(core.state.run == RunState::Running) {}

  bool hasPaused() const { return paused.has_value(); }
  // Also where the step has ended behind an access.
  std::optional<Pause> pause() const { return paused || !hit ? paused : Pause{hit}; }

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
  void note(size_t watch, bool isWrite);

  const PausePoints &points;
  bool isFirst; // nothing has issued
  std::optional<WatchHit> hit;
  std::optional<Pause> paused;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_PAUSING_H
