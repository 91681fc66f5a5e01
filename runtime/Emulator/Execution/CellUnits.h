// The effects of operations on cells: of registers, of results of units, of weights and of VMEM.
//
// All that an operation checks, and all that it does to scalars and to time, depends on cells only
// where a scalar comes from them. So an operation is executed in two steps: its checks at issue, and
// its effects on cells, which may be deferred, in the order of the operations. The values at issue
// that these depend on are its arguments:
//
// - of a load or store: the first row of VMEM, in rows of the width of its cells, the stride, and
//   the sublanes that it accesses;
// - of others: the values of its scalar operands, in their order; of one of the blocks that are
//   transposed, its number; then, of a push or a pop, the place of its (first) result in the FIFO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CELLUNITS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CELLUNITS_H

#include <algorithm>
#include <cstdint>

#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Mode.h"

namespace systole::emulation {

// The number of arguments of an operation whose cells may wait.
inline constexpr int kMostArguments = 4;
int argumentCount(const Op &op);

// Computes the cells of an operation.
void computeCells(Core &core, const Op &op, const int64_t *arguments);

// Parts of it, with their operands and results anywhere. The sublanes are those from `a` and `d`
// on. `mask` is null for all cells of a row.
void loadRow(Core &core, const Op &op, uint32_t *d, int64_t row, const uint32_t *mask);
void storeRow(Core &core, const Op &op, const uint32_t *value, int64_t row, const uint32_t *mask);
// Before a store, and before a load, which may be computed later.
void noteStores(Core &core, const Op &op, const int64_t *arguments);
void noteLoads(Core &core, const Op &op, const int64_t *arguments);
void rotateLanes(uint32_t *d, const uint32_t *a, uint64_t by, int sublanes);
void broadcastLane(uint32_t *d, const uint32_t *a, uint64_t lane, int sublanes);
void rotateSublanes(Core &core, uint32_t *d, const uint32_t *a, uint64_t by);
inline uint32_t cellOf(const uint32_t *a, int64_t sublane, int64_t lane) {
  return a[uint64_t(sublane) % isa::kSublanes * isa::kLanes + uint64_t(lane) % isa::kLanes];
}
// `index` is null for that of one sublane.
void gatherSublanes(Core &core, uint32_t *d, const uint32_t *a, const uint32_t *index,
                    uint64_t sublane);
// Adds a register to those that are transposed, behind `blocks` others; at the end, all results.
void transpose(Core &core, const Op &op, const uint32_t *a, int blocks, uint32_t *const *d);
// The units of a matrix multiplication (MatrixCells.cpp). A push has op.count results: those of the
// tiles of the MXU.
void latchRows(Core &core, const Op &op, CellRows a, int number);
void makeCurrent(Core &core, const Op &op, int k, int n);
void multiply(Core &core, const Op &op, int tile, const KernelTable::Rows &rows);
// The tiles of an MXU along its rows, which have operands of their own.
inline int depthsOf(const Op &op) { return op.handler == Handler::PushWide ? op.aux : 1; }

// Computes the cells of an operation that has been checked, or lets them wait.
template <Mode mode, typename... Values>
void finish(Core &core, const Op &op, const Values... values) {
  static_assert(sizeof...(values) <= kMostArguments);
  const int64_t arguments[sizeof...(values) + 1] = {int64_t(values)...};
  if constexpr (mode == Mode::Deferred)
    core.waiting.add(arguments, sizeof...(values));
  else
    computeCells(core, op, arguments);
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CELLUNITS_H
