// Host memory behind a core's memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole::emulation {

static size_t pageSize() {
  static const size_t size = size_t(sysconf(_SC_PAGESIZE));
  return size;
}

// The working set of a small program is mapped in small pages: zeroing large ones would take
// longer.
static constexpr size_t kSmallBytes = 4 << 20;

absl::StatusOr<Reservation> Reservation::create(size_t bytes) {
  Reservation reservation;
  if (bytes == 0)
    return reservation;
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot reserve ", bytes, " bytes of memory: ", std::strerror(errno)));
  reservation.base = static_cast<uint8_t *>(address);
  if (bytes > kSmallBytes)
    madvise(reservation.base + kSmallBytes, bytes - kSmallBytes, MADV_HUGEPAGE);
  reservation.bytes = bytes;
  return reservation;
}

Reservation::Reservation(Reservation &&other) noexcept
    : base(std::exchange(other.base, nullptr)), bytes(std::exchange(other.bytes, 0)) {}

Reservation &Reservation::operator=(Reservation &&other) noexcept {
  std::swap(base, other.base);
  std::swap(bytes, other.bytes);
  return *this;
}

Reservation::~Reservation() {
  if (base)
    munmap(base, bytes);
}

void Reservation::release(size_t offset, size_t count) {
  assert(offset <= bytes && count <= bytes - offset && "a range of the reservation");
  size_t page = pageSize();
  size_t begin = (offset + page - 1) / page * page, end = (offset + count) / page * page;
  if (begin < end)
    madvise(base + begin, end - begin, MADV_DONTNEED);
}

absl::StatusOr<Memory> Memory::create(const MemorySize &size, bool withOrigins) {
  Memory memory;
  auto reserve = [](Reservation &to, int64_t bytes) {
    absl::StatusOr<Reservation> reservation = Reservation::create(size_t(bytes));
    if (!reservation.ok())
      return reservation.status();
    to = *std::move(reservation);
    return absl::OkStatus();
  };
  constexpr int64_t row = isa::kRowBytes, owner = sizeof(Owner), origin = sizeof(Origin);
  // One more, so that a program without HBM has them, too.
  const int64_t hbmOrigins = withOrigins ? (size.hbmRows + 1) * origin : 0;
  for (absl::Status status :
       {reserve(memory.hbmCells, size.hbmRows * row),
        reserve(memory.vmemCells, size.vmemRows * row),
        reserve(memory.hbmOwners, size.hbmRows * owner),
        reserve(memory.vmemOwners, size.vmemRows * owner),
        reserve(memory.smemOwners, size.smemWords * owner),
        reserve(memory.pinnedCells, size.pinnedRows * row),
        reserve(memory.pinnedOwners, size.pinnedRows * owner),
        reserve(memory.hbmOrigins, hbmOrigins),
        reserve(memory.vmemOrigins, withOrigins ? size.vmemRows * origin : 0),
        reserve(memory.pinnedOrigins, withOrigins ? size.pinnedRows * origin : 0)})
    if (!status.ok())
      return status;
  memory.smem.resize(size_t(size.smemWords));
  memory.smemOrigins.resize(withOrigins ? size_t(size.smemWords) : 0);
  memory.vmemWriters.resize(withOrigins ? size_t(size.vmemRows) : 0);
  memory.vmemReady.resize(size_t(size.vmemRows));
  memory.smemReady.resize(size_t(size.smemWords));
  memory.touchedChunks.resize(memory.hbmCells.size() / kTouchBytes + 1);
  return memory;
}

static void clear(Reservation &reservation) {
  // Contents that release leaves: the part of the last page.
  reservation.release(0, reservation.size());
  const size_t rest = reservation.size() % pageSize();
  if (rest)
    std::memset(reservation.data() + reservation.size() - rest, 0, rest);
}

void Memory::forgetVmem() {
  if (vmemOrigins.size() > 0)
    std::memset(vmemOrigins.data(), 0, vmemOrigins.size());
  std::fill(vmemWriters.begin(), vmemWriters.end(), -1);
}

void Memory::reset() {
  for (Reservation *reservation : {&vmemCells, &hbmOwners, &vmemOwners, &smemOwners, &pinnedOwners,
                                   &hbmOrigins, &vmemOrigins, &pinnedOrigins})
    clear(*reservation);
  std::fill(smem.begin(), smem.end(), 0);
  std::fill(smemOrigins.begin(), smemOrigins.end(), kKnown);
  std::fill(vmemReady.begin(), vmemReady.end(), 0);
  std::fill(smemReady.begin(), smemReady.end(), 0);
  lastVmemReady = lastSmemReady = 0;
  copiesOnVmem = copiesOnSmem = 0;
}

void Memory::touchHbm(size_t offset, size_t bytes) {
  assert(offset <= hbmCells.size() && bytes <= hbmCells.size() - offset && "a range of HBM");
  for (size_t chunk = offset / kTouchBytes; bytes && chunk <= (offset + bytes - 1) / kTouchBytes;
       ++chunk)
    if (!touchedChunks[chunk]) {
      touchedChunks[chunk] = true;
      touched += kTouchBytes;
    }
  peak = std::max(peak, touched);
}

void Memory::releaseHbm(size_t offset, size_t bytes) {
  hbmCells.release(offset, bytes);
  size_t begin = (offset + kTouchBytes - 1) / kTouchBytes, end = (offset + bytes) / kTouchBytes;
  for (size_t chunk = begin; chunk < end; ++chunk)
    if (touchedChunks[chunk]) {
      touchedChunks[chunk] = false;
      assert(touched >= int64_t(kTouchBytes) && "chunks are counted once");
      touched -= kTouchBytes;
    }
}

void Memory::releaseAll() {
  reset();
  releaseHbm(0, hbmCells.size());
  clear(hbmCells);
  clear(pinnedCells);
}

} // namespace systole::emulation
