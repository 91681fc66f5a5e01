// Copies of pages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/MemoryImage.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

static bool isZero(const uint8_t *data, size_t count) {
  return std::all_of(data, data + count, [](uint8_t byte) { return byte == 0; });
}

MemoryImage MemoryImage::capture(Memory &memory, const MemoryImage *previous) {
  MemoryImage image;
  for (const program::Space space : kCopiedSpaces) {
    Pages &pages = memory.space(space).pages();
    const uint8_t *data = memory.space(space).data();
    Contents &to = image.of(space);
    to.bytes = memory.bytes(space);
    const std::vector<Page> none, &before = previous ? previous->of(space).pages : none;
    auto last = before.begin();
    for (uint64_t number = 0; number < pages.size(); ++number) {
      // SMEM is so small that its stores are not noted.
      const bool isNoted = space != program::SMEM;
      if (isNoted && (!pages.isUsed(number) || pages.isStale(number)))
        continue;
      while (last != before.end() && last->number < number)
        ++last;
      const bool hadPage = last != before.end() && last->number == number;
      if (isNoted && previous && !pages.hasChanged(number)) {
        if (hadPage)
          to.pages.push_back(*last);
        continue;
      }
      const size_t begin = number * Pages::kBytes,
                   count = std::min(Pages::kBytes, to.bytes - begin);
      if (hadPage && std::memcmp(last->contents->data(), data + begin, count) == 0)
        to.pages.push_back(*last);
      else if (!isZero(data + begin, count))
        to.pages.push_back({number, std::make_shared<const std::vector<uint8_t>>(
                                        data + begin, data + begin + count)});
      pages.setUnchanged(number);
    }
  }
  return image;
}

absl::Status MemoryImage::restore(Memory &memory) const {
  for (const program::Space space : kCopiedSpaces) {
    const Contents &from = of(space);
    MemorySpace &to = memory.space(space);
    if (from.bytes != memory.bytes(space))
      return absl::InvalidArgumentError(absl::StrCat(program::Space_Name(space), " has ",
                                                     from.bytes, " bytes, the machine's has ",
                                                     memory.bytes(space)));
    for (const Page &page : from.pages) {
      const size_t begin = page.number * Pages::kBytes, count = page.contents->size();
      if (page.number >= to.pages().size() || count != std::min(Pages::kBytes, from.bytes - begin))
        return absl::InvalidArgumentError(absl::StrCat(program::Space_Name(space), " has no page ",
                                                       page.number, " of ", count, " bytes"));
      to.prepareWrite(begin, count);
      std::memcpy(to.data() + begin, page.contents->data(), count);
      to.pages().setUnchanged(page.number);
    }
  }
  return absl::OkStatus();
}

std::string MemoryImage::firstDifference(const MemoryImage &other) const {
  for (const program::Space space : kCopiedSpaces) {
    const Contents &a = of(space), &b = other.of(space);
    if (a.bytes != b.bytes)
      return absl::StrCat("size of ", program::Space_Name(space));
    auto x = a.pages.begin(), y = b.pages.begin();
    // Pages that only one of them has are compared with zero.
    while (x != a.pages.end() || y != b.pages.end()) {
      const bool hasX = x != a.pages.end() && (y == b.pages.end() || x->number <= y->number);
      const bool hasY = y != b.pages.end() && (x == a.pages.end() || y->number <= x->number);
      const Page &page = hasX ? *x : *y;
      const bool areEqual = hasX && hasY
                                ? x->contents == y->contents || *x->contents == *y->contents
                                : isZero(page.contents->data(), page.contents->size());
      if (!areEqual)
        return absl::StrCat(program::Space_Name(space), " page ", page.number);
      x += hasX;
      y += hasY;
    }
  }
  return "";
}

} // namespace systole::emulation
