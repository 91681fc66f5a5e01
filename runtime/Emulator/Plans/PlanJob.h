// The cells of one part of a block, by its plan, as a job of which threads take parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANJOB_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANJOB_H

#include <cstdint>
#include <vector>

#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Plans/Plan.h"
#include "runtime/Emulator/Threads/JobPool.h"

namespace systole::emulation {

class PlanJob final : public Job {
public:
  // Finds where all cells are, and which steps there are. The core, the plan and the arguments
  // stay until the job has ended.
  void prepare(Core &core, const Plan &plan, const int64_t *arguments, int threads);

  int steps() const override { return int(list.size()); }
  int tasks(int step) const override { return list[size_t(step)].tasks; }
  void run(int step, int task) override;

private:
  // The cells of a place, and the way from a sublane to the next.
  struct Cells {
    uint32_t *base;
    int64_t step;
    bool isDense; // side by side, or one cell for all
  };
  struct Step {
    enum class Kind : uint8_t {
      Sublanes,     // operations within sublanes; a task has some of these
      CrossSublane, // others, one after the other
      Products,     // a task has registers of a tile
    } kind;
    int32_t begin, end; // operations
    int32_t tasks;
    int32_t stage = 0; // of Sublanes
  };

  void locate();
  CellRows rowsAt(PlaceIndex place) const { return {cells[place].base, cells[place].step}; }
  void addSteps(int threads);
  int mostTasks() const;
  void runSublanes(const Step &step, int first, int count) const;
  void runInside(const PlannedOp &op, uint32_t *const *at, int sublane, int count) const;
  void runCells(const PlannedOp &op, uint32_t *d, const uint32_t *a, const uint32_t *b,
                const uint32_t *c, int sublane, int count) const;
  void runRows(const PlannedOp &op, uint32_t *const *at, int sublane, int count) const;
  void runCrossSublane(const PlannedOp &op) const;
  void runProducts(const Step &step, int task) const;

  Core *core = nullptr;
  const Plan *plan = nullptr;
  const int64_t *arguments = nullptr;
  std::vector<Cells> cells; // by place
  std::vector<Step> list;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANJOB_H
