// Reserved pages of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Reservation.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

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

void Reservation::deallocate(void *base, size_t bytes) { munmap(base, bytes); }

Reservation::~Reservation() {
  if (base)
    deallocate(base, bytes);
}

void Reservation::release(size_t offset, size_t count) {
  assert(offset <= bytes && count <= bytes - offset && "a range of the reservation");
  size_t page = pageSize();
  size_t begin = (offset + page - 1) / page * page, end = (offset + count) / page * page;
  if (begin < end)
    madvise(base + begin, end - begin, MADV_DONTNEED);
}

void Reservation::populate([[maybe_unused]] size_t offset, [[maybe_unused]] size_t count) {
#ifdef MADV_POPULATE_WRITE
  madvise(base + offset, std::min(count, bytes - offset), MADV_POPULATE_WRITE);
#endif
}

void Reservation::clear() {
  release(0, bytes);
  // Contents that release leaves: the part of the last page.
  if (const size_t rest = bytes % pageSize())
    std::memset(base + bytes - rest, 0, rest);
}

} // namespace systole::emulation
