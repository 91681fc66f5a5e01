// Ranges of memories, and cores between runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Machine.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/Core.h"

namespace systole {

// First fit needs at most log2(n) times the rows in use for ranges of 1 to n rows (Robson, "Worst
// case fragmentation of first fit and best fit storage allocation strategies", 1977).
static constexpr int64_t kMostAddresses = 32;
// Of pages that nobody owns: the next owner finds them mapped.
static constexpr int64_t kMostKeptBytes = int64_t(128) << 20;

static int64_t hostBytes() {
  static const int64_t bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

absl::StatusOr<std::shared_ptr<MachineMemory>> MachineMemory::create(int64_t rows) {
  absl::StatusOr<std::unique_ptr<emulation::MemorySpace>> space;
  for (int64_t times = kMostAddresses; times >= 1; times /= 2) {
    space = emulation::MemorySpace::create(size_t(times * rows) * isa::kRowBytes);
    if (space.ok())
      return std::shared_ptr<MachineMemory>(new MachineMemory(*std::move(space)));
  }
  return space.status();
}

absl::StatusOr<MachineMemory::Rows> MachineMemory::allocate(int64_t rows, End end) {
  const int64_t bytes = rows * isa::kRowBytes;
  if (bytes > hostBytes())
    return absl::ResourceExhaustedError(absl::StrCat("this host has no ", bytes, " bytes"));
  std::lock_guard lock(mutex);
  const std::optional<int64_t> first = addresses.allocate(rows, end);
  if (!first)
    return absl::ResourceExhaustedError(
        absl::StrCat("the device has no addresses for ", rows, " rows"));
  const size_t offset = size_t(*first) * isa::kRowBytes;
  keptBytes = std::max<int64_t>(0, keptBytes - contents->usedBytes(offset, size_t(bytes)));
  contents->discard(offset, size_t(bytes));
  return Rows(shared_from_this(), *first, rows);
}

void MachineMemory::release(int64_t first, int64_t rows) {
  std::lock_guard lock(mutex);
  const size_t offset = size_t(first) * isa::kRowBytes, bytes = size_t(rows) * isa::kRowBytes;
  const int64_t used = contents->usedBytes(offset, bytes);
  if (keptBytes + used > kMostKeptBytes)
    contents->release(offset, bytes);
  else
    keptBytes += used;
  addresses.release(first, rows);
}

MachineMemory::Rows::Rows(Rows &&other) noexcept
    : memory(std::move(other.memory)), first(other.first), rows(std::exchange(other.rows, 0)) {}

MachineMemory::Rows &MachineMemory::Rows::operator=(Rows &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(first, other.first);
  std::swap(rows, other.rows);
  return *this;
}

MachineMemory::Rows::~Rows() {
  if (memory)
    memory->release(first, rows);
}

uint8_t *MachineMemory::Rows::write() const {
  if (!memory)
    return nullptr;
  const size_t offset = size_t(first) * isa::kRowBytes;
  memory->contents->prepareWrite(offset, size_t(rows) * isa::kRowBytes);
  return memory->contents->data() + offset;
}

const uint8_t *MachineMemory::Rows::read() const {
  if (!memory)
    return nullptr;
  const size_t offset = size_t(first) * isa::kRowBytes;
  memory->contents->prepareRead(offset, size_t(rows) * isa::kRowBytes);
  return memory->contents->data() + offset;
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

Machine::Machine(const Target &target)
    : target(target), timing(std::make_unique<const emulation::CoreTiming>(target)) {}

Machine::~Machine() = default;

absl::StatusOr<std::unique_ptr<Machine>> Machine::create(const Target &target) {
  std::unique_ptr<Machine> machine(new Machine(target));
  auto pinned = MachineMemory::create(hostBytes() / isa::kRowBytes);
  if (!pinned.ok())
    return pinned.status();
  machine->pinned = *std::move(pinned);
  for (int i = 0; i < target.cores(); ++i) {
    auto hbm = MachineMemory::create(target.hbmRows());
    if (!hbm.ok())
      return hbm.status();
    machine->cores.push_back(std::make_unique<MachineCore>());
    machine->cores.back()->hbm = *std::move(hbm);
  }
  return machine;
}

absl::StatusOr<std::unique_ptr<emulation::Core>> Machine::take(int index) {
  assert(index >= 0 && size_t(index) < cores.size() && "a core of the machine");
  MachineCore &from = *cores[size_t(index)];
  {
    std::lock_guard lock(from.mutex);
    if (!from.idle.empty()) {
      std::unique_ptr<emulation::Core> core = std::move(from.idle.back());
      from.idle.pop_back();
      return core;
    }
  }
  const emulation::MemorySize size{target.hbmRows(), target.vmemRows(), target.smemWords(), 0};
  absl::StatusOr<emulation::Memory> memory =
      emulation::Memory::create(size, from.hbm->space(), pinned->space());
  if (!memory.ok())
    return memory.status();
  return emulation::Core::create(*timing, index, *std::move(memory), size, false);
}

void Machine::giveBack(std::unique_ptr<emulation::Core> core) {
  MachineCore &to = *cores[size_t(core->index)];
  std::lock_guard lock(to.mutex);
  to.idle.push_back(std::move(core));
}

} // namespace systole
