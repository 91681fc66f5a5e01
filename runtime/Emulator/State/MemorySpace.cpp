// Pages of a memory that change their owners.
//
// A page that gets a new owner is not zeroed at once: most are written as a whole before they are
// read. It is stale until its first access, and zeroed then unless that writes all of it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/MemorySpace.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace systole::emulation {

absl::StatusOr<std::unique_ptr<MemorySpace>> MemorySpace::create(size_t bytes) {
  absl::StatusOr<Reservation> cells = Reservation::create(bytes);
  if (!cells.ok())
    return cells.status();
  absl::StatusOr<Pages> pages = Pages::create(bytes);
  if (!pages.ok())
    return pages.status();
  return std::unique_ptr<MemorySpace>(new MemorySpace(*std::move(cells), *std::move(pages)));
}

void MemorySpace::countPages(int64_t pages) {
  const int64_t now =
      touched.fetch_add(pages * int64_t(Pages::kBytes)) + pages * int64_t(Pages::kBytes);
  for (int64_t most = peak.load(); most < now && !peak.compare_exchange_weak(most, now);)
    ;
}

void MemorySpace::zeroPage(size_t page) {
  const size_t begin = page * Pages::kBytes;
  std::memset(data() + begin, 0, std::min(Pages::kBytes, size() - begin));
  used.write(page);
}

void MemorySpace::prepareWrite(size_t offset, size_t count) {
  assert(offset <= size() && count <= size() - offset && "a range of the memory");
  if (count == 0)
    return;
  const size_t last = (offset + count - 1) / Pages::kBytes;
  for (size_t page = offset / Pages::kBytes; page <= last; ++page) {
    const size_t begin = page * Pages::kBytes;
    const bool isWhole = offset <= begin && offset + count >= begin + Pages::kBytes;
    if (!isWhole && used.isStale(page))
      zeroPage(page);
    if (used.write(page))
      countPages(1);
  }
}

void MemorySpace::zeroStale(size_t offset, size_t count) {
  assert(offset <= size() && count <= size() - offset && "a range of the memory");
  if (count == 0)
    return;
  const size_t last = (offset + count - 1) / Pages::kBytes;
  for (size_t page = offset / Pages::kBytes; page <= last; ++page)
    if (used.isStale(page))
      zeroPage(page);
}

void MemorySpace::discard(size_t offset, size_t count) {
  if (count == 0)
    return;
  const size_t first = offset / Pages::kBytes, last = (offset + count - 1) / Pages::kBytes;
  for (size_t page = first; page <= last; ++page) {
    if (!used.isUsed(page))
      continue;
    const size_t begin = std::max(offset, page * Pages::kBytes),
                 end = std::min(offset + count, (page + 1) * Pages::kBytes);
    // Others may have the rest of the page, but not while it is stale.
    if (end - begin == Pages::kBytes) {
      used.setStale(page);
      hasStale.store(true, std::memory_order_relaxed);
    } else if (used.isStale(page)) {
      zeroPage(page);
    } else {
      std::memset(data() + begin, 0, end - begin);
    }
  }
}

int64_t MemorySpace::usedBytes(size_t offset, size_t count) const {
  int64_t bytes = 0;
  const size_t end = (offset + count) / Pages::kBytes;
  for (size_t page = (offset + Pages::kBytes - 1) / Pages::kBytes; page < end; ++page)
    bytes += used.isUsed(page) ? int64_t(Pages::kBytes) : 0;
  return bytes;
}

void MemorySpace::release(size_t offset, size_t count) {
  const size_t begin = (offset + Pages::kBytes - 1) / Pages::kBytes,
               end = (offset + count) / Pages::kBytes;
  if (begin >= end)
    return;
  cells.release(begin * Pages::kBytes, (end - begin) * Pages::kBytes);
  for (size_t page = begin; page < end; ++page)
    if (used.isUsed(page)) {
      used.unmap(page);
      countPages(-1);
    }
}

void MemorySpace::releaseAll() {
  cells.clear();
  for (size_t page = 0; page < used.size(); ++page)
    used.unmap(page);
  touched = 0;
}

void MemorySpace::discardAll() {
  for (size_t page = 0; page < used.size(); ++page)
    if (used.isUsed(page)) {
      used.setStale(page);
      hasStale.store(true, std::memory_order_relaxed);
    }
}

} // namespace systole::emulation
