// Loads and stores of VMEM and SMEM: bounds, ownership, the latency of stores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/CellUnits.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

[[gnu::cold, gnu::noinline]] static bool failRow(Core &core, const Op &op, int64_t row,
                                                 bool write) {
  const program::Region &region = core.program().header.regions(op.aux);
  std::string what =
      absl::StrCat(write ? "writes" : "reads", " row ", row, " of region `", region.name(), "`, ");
  int64_t rows = region.size() << op.packShift;
  if (row < 0 || row >= rows)
    return core.failOp(op, TrapKind::OutOfBounds, absl::StrCat(what, "which has ", rows));
  int64_t physical = region.base() + (row >> op.packShift);
  Owner owner = core.memory.owners(program::VMEM)[physical];
  if (owner & kWritten || (write && owner))
    return core.failOp(
        op, TrapKind::MemoryOwned,
        absl::StrCat(what, "which a copy in flight ", owner & kWritten ? "writes" : "reads"));
  return core.failOp(op, TrapKind::ReadTooEarly,
                     absl::StrCat(what, "where a store can be seen from cycle ",
                                  core.memory.vmemReady[size_t(physical)]));
}

// Checks one row after the other, up to the first that may not be accessed.
static bool checkEachRow(Core &core, const Op &op, int64_t address, int64_t stride,
                         uint32_t touched, bool write) {
  const program::Region &region = core.program().header.regions(op.aux);
  const int64_t rows = region.size() << op.packShift, base = region.base();
  const Owner *owners = core.memory.owners(program::VMEM);
  const Owner forbidden = write ? Owner(~0) : kWritten;
  for (int s = 0; s < isa::kSublanes; ++s) {
    if (!(touched >> s & 1))
      continue;
    const int64_t row = address + s * stride;
    if (row < 0 || row >= rows)
      return failRow(core, op, row, write);
    const int64_t physical = base + (row >> op.packShift);
    if (core.memory.copiesOnVmem > 0 && (owners[physical] & forbidden))
      return failRow(core, op, row, write);
    if (!write && core.memory.vmemReady[size_t(physical)] > core.state.clock)
      return failRow(core, op, row, write);
  }
  return true;
}

// Checks the touched ones of eight logical rows of a region.
static bool checkRows(Core &core, const Op &op, int64_t address, int64_t stride, uint32_t touched,
                      bool write) {
  const program::Region &region = core.program().header.regions(op.aux);
  const int64_t rows = region.size() << op.packShift;
  const int64_t last = address + (isa::kSublanes - 1) * stride;
  if (touched != 0xff || std::min(address, last) < 0 || std::max(address, last) >= rows)
    return checkEachRow(core, op, address, stride, touched, write);
  // All at once: mostly none is in the way.
  Owner owner = 0;
  int64_t ready = 0;
  if (core.memory.copiesOnVmem > 0)
    for (int s = 0; s < isa::kSublanes; ++s)
      owner |= core.memory.owners(
          program::VMEM)[region.base() + ((address + s * stride) >> op.packShift)];
  if (!write && core.memory.lastVmemReady > core.state.clock) {
    const int64_t *from = core.memory.vmemReady.data() + region.base();
    for (int s = 0; s < isa::kSublanes; ++s)
      ready = std::max(ready, from[(address + s * stride) >> op.packShift]);
  }
  if ((owner & (write ? Owner(~0) : kWritten)) || ready > core.state.clock)
    return checkEachRow(core, op, address, stride, touched, write);
  return true;
}

// The sublanes that an operation accesses.
template <Mode mode> static uint32_t touchedBy(Core &core, const Op &op, int mask) {
  if (op.allCells)
    return 0xff;
  if constexpr (mode != Mode::Deferred)
    return core.table.rowsOfMask(core.operand(op, mask));
  int16_t &known = core.maskRows[op.rowMask];
  if (known < 0)
    known = int16_t(core.table.rowsOfMask(core.operand(op, mask)));
  return uint32_t(known);
}

template <Mode mode> bool load(Core &core, const Op &op) {
  if constexpr (mode == Mode::Clock) {
    // A mask is data: the rows that it disables are unknown.
    if (!op.allCells || originOf(core, op, 0) != kKnown || originOf(core, op, 1) != kKnown)
      return true;
  }
  if constexpr (mode == Mode::Known) {
    Origin &result = originAt(core, op.destOffset);
    result = originOfReads(core, op);
    if (result != kKnown)
      return true;
  }
  int64_t address = int64_t(core.signedScalar(op, 0)) + op.offset,
          stride = core.signedScalar(op, 1);
  const uint32_t touched = touchedBy<mode>(core, op, 2);
  if (!checkRows(core, op, address, stride, touched, false))
    return false;
  if constexpr (mode == Mode::Clock)
    return true;
  const int64_t firstRow = core.program().header.regions(op.aux).base();
  if constexpr (mode == Mode::Known) {
    Origin &result = originAt(core, op.destOffset);
    const Origin *origins = core.known.rows.of(program::VMEM) + firstRow;
    for (int s = 0; s < isa::kSublanes; ++s)
      if (touched >> s & 1)
        result = core.known.join(result, origins[(address + s * stride) >> op.packShift]);
    if (result != kKnown)
      return true;
  }
  const int64_t arguments[] = {(firstRow << op.packShift) + address, stride, touched};
  noteLoads(core, op, arguments);
  finish<mode>(core, op, arguments[0], arguments[1], arguments[2]);
  return true;
}

// Whether it is unknown where a store writes: its region is unknown from then on.
static bool storesAnywhere(Core &core, const Op &op) {
  Origin origin = core.known.join(originOf(core, op, 1), originOf(core, op, 2));
  if (!op.allCells)
    origin = core.known.join(origin, originAt(core, op.operands[3]));
  if (origin == kKnown)
    return false;
  const program::Region &region = core.program().header.regions(op.aux);
  std::fill_n(core.known.rows.of(program::VMEM) + region.base(), region.size(), origin);
  return true;
}

template <Mode mode> bool store(Core &core, const Op &op) {
  if constexpr (mode == Mode::Clock) {
    if (!op.allCells || originOf(core, op, 1) != kKnown || originOf(core, op, 2) != kKnown)
      return true;
  }
  if constexpr (mode == Mode::Known)
    if (storesAnywhere(core, op))
      return true;
  int64_t address = int64_t(core.signedScalar(op, 1)) + op.offset,
          stride = core.signedScalar(op, 2);
  const uint32_t touched = touchedBy<mode>(core, op, 3);
  if (!checkRows(core, op, address, stride, touched, true))
    return false;
  int64_t firstRow = core.program().header.regions(op.aux).base();
  core.memory.lastVmemReady = core.state.clock + op.latency;
  for (int s = 0; s < isa::kSublanes; ++s)
    if (touched >> s & 1)
      core.memory.vmemReady[size_t(firstRow + ((address + s * stride) >> op.packShift))] =
          core.state.clock + op.latency;
  if constexpr (mode == Mode::Clock)
    return true;
  if constexpr (mode == Mode::Known) {
    const Origin origin = originOfReads(core, op);
    const bool isWhole = op.allCells && op.packShift == 0;
    for (int s = 0; s < isa::kSublanes; ++s)
      if (touched >> s & 1)
        core.known.rows.markVmem(firstRow + ((address + s * stride) >> op.packShift), op.aux,
                                 isWhole, origin, core.known.demand->origins());
    if (origin != kKnown)
      return true;
  }
  finish<mode>(core, op, (firstRow << op.packShift) + address, stride, touched);
  return true;
}

template <Mode mode> bool scalarMemory(Core &core, const Op &op) {
  bool isStore = op.handler == Handler::SmemStore;
  int addressOperand = isStore ? 1 : 0;
  const program::Region &region = core.program().header.regions(op.aux);
  if constexpr (tracks(mode))
    if (const Origin origin = originOf(core, op, addressOperand); origin != kKnown) {
      // It may be any word of the region.
      if (isStore)
        std::fill_n(core.known.rows.of(program::SMEM) + region.base(), region.size(), origin);
      else
        originAt(core, op.destOffset) = origin;
      return true;
    }
  int32_t address = core.signedScalar(op, addressOperand);
  if (address < 0 || address >= region.size())
    return core.failOp(op, TrapKind::OutOfBounds,
                       absl::StrCat(isStore ? "writes" : "reads", " word ", address, " of region `",
                                    region.name(), "`, which has ", region.size()));
  size_t word = size_t(region.base() + address);
  Owner owner = core.memory.owners(program::SMEM)[word];
  if (core.memory.copiesOnSmem > 0 && (isStore ? owner != 0 : (owner & kWritten) != 0))
    return core.failOp(op, TrapKind::MemoryOwned,
                       absl::StrCat(isStore ? "writes" : "reads", " word ", address, " of region `",
                                    region.name(), "`, which a copy in flight ",
                                    owner & kWritten ? "writes" : "reads"));
  if (isStore) {
    core.memory.smem()[word] = core.scalar(op, 0);
    core.memory.smemReady[word] = core.memory.lastSmemReady = core.state.clock + op.latency;
    if constexpr (tracks(mode))
      core.known.rows.of(program::SMEM)[word] = originOf(core, op, 0);
    return true;
  }
  if (core.memory.lastSmemReady > core.state.clock &&
      core.memory.smemReady[word] > core.state.clock)
    return core.failOp(op, TrapKind::ReadTooEarly,
                       absl::StrCat("reads word ", address, " of region `", region.name(),
                                    "`, where a store can be seen from cycle ",
                                    core.memory.smemReady[word]));
  *core.registerAt(op.destOffset) = core.memory.smem()[word];
  if constexpr (tracks(mode))
    originAt(core, op.destOffset) = core.known.rows.of(program::SMEM)[word];
  return true;
}

template bool load<Mode::Full>(Core &, const Op &);
template bool load<Mode::Deferred>(Core &, const Op &);
template bool load<Mode::Clock>(Core &, const Op &);
template bool load<Mode::Known>(Core &, const Op &);
template bool store<Mode::Full>(Core &, const Op &);
template bool store<Mode::Deferred>(Core &, const Op &);
template bool store<Mode::Clock>(Core &, const Op &);
template bool store<Mode::Known>(Core &, const Op &);
template bool scalarMemory<Mode::Full>(Core &, const Op &);
template bool scalarMemory<Mode::Clock>(Core &, const Op &);
template bool scalarMemory<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
