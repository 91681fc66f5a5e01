// Loads and stores of VMEM and SMEM: bounds, ownership, the latency of stores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

// Checks the touched ones of eight logical rows of a region.
bool Core::checkRows(const Op &op, int64_t address, int64_t stride, uint32_t touched, bool write) {
  const program::Region &region = program.header.regions(op.aux);
  int64_t rows = region.size() << op.packShift, base = region.base();
  bool copies = memory.copiesOnVmem > 0, pending = memory.lastVmemReady > clock;
  const Owner *owners = memory.owners(program::VMEM);
  Owner forbidden = write ? Owner(~0) : kWritten;
  for (int s = 0; s < isa::kSublanes; ++s) {
    if (!(touched >> s & 1))
      continue;
    int64_t row = address + s * stride;
    if (row < 0 || row >= rows)
      return failRow(op, row, write);
    int64_t physical = base + (row >> op.packShift);
    if (copies && (owners[physical] & forbidden))
      return failRow(op, row, write);
    if (!write && pending && memory.vmemReady[size_t(physical)] > clock)
      return failRow(op, row, write);
  }
  return true;
}

bool Core::failRow(const Op &op, int64_t row, bool write) {
  const program::Region &region = program.header.regions(op.aux);
  std::string what =
      absl::StrCat(write ? "writes" : "reads", " row ", row, " of region `", region.name(), "`, ");
  int64_t rows = region.size() << op.packShift;
  if (row < 0 || row >= rows)
    return failOp(op, TrapKind::OutOfBounds, absl::StrCat(what, "which has ", rows));
  int64_t physical = region.base() + (row >> op.packShift);
  Owner owner = memory.owners(program::VMEM)[physical];
  if (owner & kWritten || (write && owner))
    return failOp(
        op, TrapKind::MemoryOwned,
        absl::StrCat(what, "which a copy in flight ", owner & kWritten ? "writes" : "reads"));
  return failOp(op, TrapKind::ReadTooEarly,
                absl::StrCat(what, "where a store can be seen from cycle ",
                             memory.vmemReady[size_t(physical)]));
}

template <Mode mode> bool Core::load(const Op &op) {
  if constexpr (mode == Mode::Clock) {
    // A mask is data: the rows that it disables are unknown.
    if (!op.allCells || originOf(op, 0) != kKnown || originOf(op, 1) != kKnown)
      return true;
  }
  if constexpr (mode == Mode::Known) {
    Origin &result = originAt(op.destOffset);
    result = originOfReads(op);
    if (result != kKnown)
      return true;
  }
  int64_t address = int64_t(signedScalar(op, 0)) + op.offset, stride = signedScalar(op, 1);
  const uint32_t *mask = operand(op, 2);
  uint32_t touched = op.allCells ? 0xff : table.rowsOfMask(mask);
  if (!checkRows(op, address, stride, touched, false))
    return false;
  if constexpr (mode == Mode::Clock)
    return true;
  const int64_t firstRow = program.header.regions(op.aux).base();
  if constexpr (mode == Mode::Known) {
    Origin &result = originAt(op.destOffset);
    const Origin *origins = memory.origins(program::VMEM) + firstRow;
    for (int s = 0; s < isa::kSublanes; ++s)
      if (touched >> s & 1)
        result = join(result, origins[(address + s * stride) >> op.packShift]);
    if (result != kKnown)
      return true;
  }
  uint32_t *d = registerAt(op.destOffset);
  const uint32_t *base = memory.vmem() + firstRow * isa::kLanes;
  if (op.allCells && stride == 1 && op.opcode == isa::Opcode::vld_b32) {
    std::memcpy(d, base + address * isa::kLanes, kCells * 4);
    return true;
  }
  int64_t part = (int64_t(1) << op.packShift) - 1;
  for (int s = 0; s < isa::kSublanes; ++s, d += isa::kLanes, mask += isa::kLanes) {
    if (!(touched >> s & 1)) {
      std::memset(d, 0, isa::kRowBytes);
      continue;
    }
    int64_t row = address + s * stride;
    op.row(d, base + (row >> op.packShift) * isa::kLanes, int(row & part));
    if (!op.allCells)
      for (int l = 0; l < isa::kLanes; ++l)
        d[l] &= mask[l];
  }
  return true;
}

bool Core::storesAnywhere(const Op &op) {
  Origin origin = join(originOf(op, 1), originOf(op, 2));
  if (!op.allCells)
    origin = join(origin, originAt(op.operands[3]));
  if (origin == kKnown)
    return false;
  const program::Region &region = program.header.regions(op.aux);
  std::fill_n(memory.origins(program::VMEM) + region.base(), region.size(), origin);
  return true;
}

template <Mode mode> bool Core::store(const Op &op) {
  if constexpr (mode == Mode::Clock) {
    if (!op.allCells || originOf(op, 1) != kKnown || originOf(op, 2) != kKnown)
      return true;
  }
  if constexpr (mode == Mode::Known)
    if (storesAnywhere(op))
      return true;
  int64_t address = int64_t(signedScalar(op, 1)) + op.offset, stride = signedScalar(op, 2);
  const uint32_t *mask = operand(op, 3), *value = operand(op, 0);
  uint32_t touched = op.allCells ? 0xff : table.rowsOfMask(mask);
  if (!checkRows(op, address, stride, touched, true))
    return false;
  int64_t firstRow = program.header.regions(op.aux).base();
  memory.lastVmemReady = clock + op.latency;
  for (int s = 0; s < isa::kSublanes; ++s)
    if (touched >> s & 1)
      memory.vmemReady[size_t(firstRow + ((address + s * stride) >> op.packShift))] =
          clock + op.latency;
  if constexpr (mode == Mode::Clock)
    return true;
  if constexpr (mode == Mode::Known) {
    const Origin origin = originOfReads(op);
    const bool isWhole = op.allCells && op.packShift == 0;
    for (int s = 0; s < isa::kSublanes; ++s)
      if (touched >> s & 1)
        memory.markVmem(firstRow + ((address + s * stride) >> op.packShift), op.aux, isWhole,
                        origin, demand->origins());
    if (origin != kKnown)
      return true;
  }
  uint32_t *base = memory.vmem() + firstRow * isa::kLanes;
  if (op.allCells && stride == 1 && op.opcode == isa::Opcode::vst_b32) {
    std::memcpy(base + address * isa::kLanes, value, kCells * 4);
    return true;
  }
  int64_t part = (int64_t(1) << op.packShift) - 1;
  alignas(64) uint32_t merged[isa::kLanes];
  for (int s = 0; s < isa::kSublanes; ++s, value += isa::kLanes, mask += isa::kLanes) {
    if (!(touched >> s & 1))
      continue;
    int64_t row = address + s * stride;
    uint32_t *to = base + (row >> op.packShift) * isa::kLanes;
    if (op.allCells) {
      op.row(to, value, int(row & part));
    } else if (op.opcode == isa::Opcode::vst_b32) {
      table.mergeRow(to, value, mask);
    } else {
      std::memcpy(merged, to, isa::kRowBytes);
      op.row(merged, value, int(row & part));
      table.mergeRow(to, merged, mask);
    }
  }
  return true;
}

template <Mode mode> bool Core::scalarMemory(const Op &op) {
  bool isStore = op.handler == Handler::SmemStore;
  int addressOperand = isStore ? 1 : 0;
  const program::Region &region = program.header.regions(op.aux);
  if constexpr (tracks(mode))
    if (const Origin origin = originOf(op, addressOperand); origin != kKnown) {
      // It may be any word of the region.
      if (isStore)
        std::fill_n(memory.origins(program::SMEM) + region.base(), region.size(), origin);
      else
        originAt(op.destOffset) = origin;
      return true;
    }
  int32_t address = signedScalar(op, addressOperand);
  if (address < 0 || address >= region.size())
    return failOp(op, TrapKind::OutOfBounds,
                  absl::StrCat(isStore ? "writes" : "reads", " word ", address, " of region `",
                               region.name(), "`, which has ", region.size()));
  size_t word = size_t(region.base() + address);
  Owner owner = memory.owners(program::SMEM)[word];
  if (memory.copiesOnSmem > 0 && (isStore ? owner != 0 : (owner & kWritten) != 0))
    return failOp(op, TrapKind::MemoryOwned,
                  absl::StrCat(isStore ? "writes" : "reads", " word ", address, " of region `",
                               region.name(), "`, which a copy in flight ",
                               owner & kWritten ? "writes" : "reads"));
  if (isStore) {
    memory.smem[word] = scalar(op, 0);
    memory.smemReady[word] = memory.lastSmemReady = clock + op.latency;
    if constexpr (tracks(mode))
      memory.origins(program::SMEM)[word] = originOf(op, 0);
    return true;
  }
  if (memory.lastSmemReady > clock && memory.smemReady[word] > clock)
    return failOp(op, TrapKind::ReadTooEarly,
                  absl::StrCat("reads word ", address, " of region `", region.name(),
                               "`, where a store can be seen from cycle ", memory.smemReady[word]));
  *registerAt(op.destOffset) = memory.smem[word];
  if constexpr (tracks(mode))
    originAt(op.destOffset) = memory.origins(program::SMEM)[word];
  return true;
}

template bool Core::load<Mode::Full>(const Op &);
template bool Core::load<Mode::Clock>(const Op &);
template bool Core::load<Mode::Known>(const Op &);
template bool Core::store<Mode::Full>(const Op &);
template bool Core::store<Mode::Clock>(const Op &);
template bool Core::store<Mode::Known>(const Op &);
template bool Core::scalarMemory<Mode::Full>(const Op &);
template bool Core::scalarMemory<Mode::Clock>(const Op &);
template bool Core::scalarMemory<Mode::Known>(const Op &);

} // namespace systole::emulation
