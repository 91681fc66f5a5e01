// Ranges of memories, and cores between runs.
// See docs/decisions/emulator-and-reports.md.
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

// Times the capacity: scattered free rows refuse nothing as long as these last. Arrays of the host
// have fewer, since nothing counts them against a capacity.
static constexpr int64_t kMostAddresses = 32, kMostHostAddresses = 2;
// Bytes of addresses of all memories of a machine, of 2^47 that a process has.
static constexpr int64_t kMostAddressBytes = int64_t(1) << 45;
// Of pages that nobody owns: the next owner finds them mapped.
static constexpr int64_t kMostKeptBytes = int64_t(128) << 20;

static int64_t hostBytes() {
  static const int64_t bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

absl::Status MachineMemory::reserve() {
  if (contents)
    return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<emulation::MemorySpace>> space;
  for (int64_t times = most; times >= 1; times /= 2) {
    space = emulation::MemorySpace::create(size_t(times * rows) * isa::kRowBytes);
    if (!space.ok())
      continue;
    contents = *std::move(space);
    addresses = emulation::RowAllocator(times * rows);
    return absl::OkStatus();
  }
  return space.status();
}

absl::StatusOr<std::shared_ptr<emulation::MemorySpace>> MachineMemory::space() {
  std::lock_guard lock(mutex);
  absl::Status status = reserve();
  return status.ok() ? absl::StatusOr<std::shared_ptr<emulation::MemorySpace>>(contents) : status;
}

emulation::RowRange MachineMemory::pagesOf(emulation::RowRange rows, emulation::RowRange free) {
  const int64_t first =
                    std::max(rows.begin / emulation::Pages::kRows,
                             (free.begin + emulation::Pages::kRows - 1) / emulation::Pages::kRows),
                end = std::min((rows.end + emulation::Pages::kRows - 1) / emulation::Pages::kRows,
                               free.end / emulation::Pages::kRows);
  return {first * emulation::Pages::kRows, std::max(first, end) * emulation::Pages::kRows};
}

static size_t offsetOf(int64_t row) { return size_t(row) * isa::kRowBytes; }
static size_t bytesOf(emulation::RowRange range) { return offsetOf(range.rows()); }

absl::StatusOr<MachineMemory::Rows> MachineMemory::allocate(int64_t count, End end) {
  if (count > hostBytes() / isa::kRowBytes)
    return absl::ResourceExhaustedError(
        absl::StrCat("this host has no ", count * isa::kRowBytes, " bytes"));
  std::lock_guard lock(mutex);
  if (absl::Status status = reserve(); !status.ok())
    return status;
  const auto taken = addresses.allocate(count, end);
  if (!taken)
    return absl::ResourceExhaustedError(
        absl::StrCat("the device has no addresses for ", count, " rows"));
  const emulation::RowRange pages = pagesOf(taken->rows, taken->from);
  keptBytes -= contents->usedBytes(offsetOf(pages.begin), bytesOf(pages));
  assert(keptBytes >= 0 && "pages are counted once");
  contents->discard(offsetOf(taken->rows.begin), bytesOf(taken->rows));
  return Rows(shared_from_this(), taken->rows);
}

void MachineMemory::release(emulation::RowRange range) {
  std::lock_guard lock(mutex);
  const emulation::RowRange pages = pagesOf(range, addresses.release(range));
  const int64_t used = contents->usedBytes(offsetOf(pages.begin), bytesOf(pages));
  if (keptBytes + used > kMostKeptBytes)
    contents->release(offsetOf(pages.begin), bytesOf(pages));
  else
    keptBytes += used;
}

MachineMemory::Rows::Rows(Rows &&other) noexcept
    : memory(std::move(other.memory)), range(std::exchange(other.range, emulation::RowRange())) {}

MachineMemory::Rows &MachineMemory::Rows::operator=(Rows &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(range, other.range);
  return *this;
}

MachineMemory::Rows::~Rows() {
  if (memory)
    memory->release(range);
}

uint8_t *MachineMemory::Rows::write() const {
  if (!memory)
    return nullptr;
  memory->contents->prepareWrite(offsetOf(range.begin), bytesOf(range));
  return memory->contents->data() + offsetOf(range.begin);
}

const uint8_t *MachineMemory::Rows::read() const {
  if (!memory)
    return nullptr;
  memory->contents->prepareRead(offsetOf(range.begin), bytesOf(range));
  return memory->contents->data() + offsetOf(range.begin);
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

struct Machine::MachineCore {
  explicit MachineCore(std::shared_ptr<MachineMemory> hbm) : hbm(std::move(hbm)) {}

  std::shared_ptr<MachineMemory> hbm;
  std::mutex mutex;
  // Of which each executes one program: several only while a program waits for the host, which
  // calls others.
  std::vector<std::unique_ptr<emulation::Core>> idle;
};

Machine::Machine(const Target &target)
    : target(target), timing(std::make_unique<const emulation::CoreTiming>(target)),
      pinned(std::make_shared<MachineMemory>(hostBytes() / isa::kRowBytes, kMostHostAddresses)) {
  const int64_t bytes = target.hbmRows() * isa::kRowBytes * target.cores();
  const int64_t times = std::clamp<int64_t>(kMostAddressBytes / bytes, 1, kMostAddresses);
  for (int i = 0; i < target.cores(); ++i)
    cores.push_back(
        std::make_unique<MachineCore>(std::make_shared<MachineMemory>(target.hbmRows(), times)));
}

Machine::~Machine() = default;

MachineMemory &Machine::hbm(int core) const { return *cores[size_t(core)]->hbm; }

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
  auto hbm = from.hbm->space();
  if (!hbm.ok())
    return hbm.status();
  const emulation::MemorySize size{target.hbmRows(), target.vmemRows(), target.smemWords(), 0};
  absl::StatusOr<emulation::Memory> memory = emulation::Memory::create(size, *std::move(hbm));
  if (!memory.ok())
    return memory.status();
  return emulation::Core::create(*timing, *std::move(memory), size, false);
}

void Machine::giveBack(int index, std::unique_ptr<emulation::Core> core) {
  MachineCore &to = *cores[size_t(index)];
  std::lock_guard lock(to.mutex);
  to.idle.push_back(std::move(core));
}

} // namespace systole
