// A plan: the cells of a run of operations, in an order that is fast on the host.
//
// A part of a block is a run of operations whose cells may wait until its end (CellUnits.h). Its
// plan has them in stages. Operations of a stage that stay inside of a sublane come first, of which
// threads take sublanes; those across sublanes and products follow. Pops and moves of registers are
// names: a value is where an operation put it, and what is live behind the part is in its registers
// and FIFOs at its end. A load of rows that no store of the part can reach is a pointer.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PLAN_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/Emulator/Code/Code.h"

namespace systole::emulation {

// Where the cells of a register's width are.
struct Place {
  enum class Kind : uint8_t {
    None,      // the first place of a plan
    Register,  // the byte of Registers
    Temporary, // number
    Result,    // of the FIFO `unit`; the argument that has the place of the first one
    Rows,      // of VMEM; the argument that has the first row, before the stride; the shift of
               // packed rows is `ahead`
    Scalar,    // for all cells; the argument
  };
  Kind kind = Kind::None;
  uint8_t unit = 0;
  uint8_t ahead = 0; // of a result: behind the first one
  int32_t value = 0;
  // Of rows: the temporary to which they are moved if they do not lie side by side, or -1 where
  // they need not.
  int32_t gathered = -1;
};

using PlaceIndex = uint16_t;
inline constexpr PlaceIndex kNoPlace = 0;

struct PlannedOp {
  enum class Kind : uint8_t {
    // Within a sublane:
    Lanes,
    Push, // transcendentals, reductions, gathers of lanes
    Rotate,
    Broadcast,
    Load,
    Store,
    Move,
    // Across sublanes, and products:
    CrossSublane,
  };
  Kind kind;
  // Of a product: it may be computed with the one before it, which has the same weights.
  bool joins = false;
  bool hasRows = false;    // among its places
  PlaceIndex d = kNoPlace; // the first of op.count places of an operation with more results
  std::array<PlaceIndex, 3> operands = {kNoPlace, kNoPlace, kNoPlace};
  int32_t argument = 0; // its first one
  const Op *op = nullptr;
};

struct Fetch {
  int32_t before; // operation
  PlaceIndex place;
};

struct Stage {
  int32_t begin, cross, end; // of operations
  // Those of its operations inside of sublanes.
  std::vector<PlaceIndex> places = {};
  // Rows that are fetched into the first cache before an operation, in the order of these.
  std::vector<Fetch> fetches = {};
};

// A store, and its first argument.
struct RowAccess {
  const Op *op;
  int32_t argument;
};
// The first argument of a load or store.
struct SharedRows {
  int32_t argument;
  bool isStore;
};

// Nanoseconds of arithmetic that threads share with a gain, at least.
inline constexpr int64_t kLeastSharedTime = 3000;

struct Plan {
  // The results of each unit when the part begins, for which the plan is, until a store has it.
  std::vector<std::pair<uint8_t, int>> results;
  std::vector<Place> places;
  std::vector<PlannedOp> ops;
  std::vector<Stage> stages;
  int temporaries = 0;
  int instructions = 0; // whose cells it computes
  // The loads and stores of rows that a store of the part can reach, in groups: where sublanes of
  // those of a group touch rows of each other, or may do so whatever the arguments are, one thread
  // has all sublanes.
  std::vector<std::vector<SharedRows>> shared;
  bool inOrder = false;
  std::vector<RowAccess> stores;
  // Estimates of the time that operations take which compute, and of those that move rows between
  // caches: threads do not move them faster. Nanoseconds.
  int64_t arithmetic = 0, movement = 0;
  bool paysToShare() const { return arithmetic >= movement && arithmetic >= kLeastSharedTime; }
  // Whether the plan takes less time than its instructions one by one, or may be shared.
  bool pays = false;
};

// A run of operations, of those of a program, and the registers that are live behind it.
struct PlanRange {
  uint32_t begin, end;
  RegisterSet live;
};
// Numbers of results, by FIFO.
using ResultCounts = std::array<int, kFifos>;

// The plan of a run of operations, with so many results in each FIFO when they begin, of the depths
// that they have; none if it would need too many places.
std::optional<Plan> makePlan(const program::ProgramHeader &header, const std::vector<Op> &ops,
                             const PlanRange &range, const ResultCounts &results,
                             const ResultCounts &depths);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PLAN_H
