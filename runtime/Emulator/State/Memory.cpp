// Sizes and contents of a core's memories, and copies between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Memory.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace systole::emulation {

using program::Space;

static constexpr Space kSpaces[] = {program::HBM, program::VMEM, program::SMEM, program::PINNED};

static int64_t unitsOf(const MemorySize &size, Space space) {
  return space == program::HBM    ? size.hbmRows
         : space == program::VMEM ? size.vmemRows
         : space == program::SMEM ? size.smemWords
                                  : size.pinnedRows;
}

static size_t bytesOf(const MemorySize &size, Space space) {
  return size_t(unitsOf(size, space)) *
         (space == program::SMEM ? sizeof(uint32_t) : size_t(isa::kRowBytes));
}

static bool isMapped(Space space) { return space == program::HBM || space == program::PINNED; }

absl::StatusOr<Memory> Memory::create(const MemorySize &size, std::shared_ptr<MemorySpace> hbm) {
  Memory memory;
  memory.spaces[program::HBM] = std::move(hbm);
  for (const Space space : {program::VMEM, program::SMEM}) {
    absl::StatusOr<std::unique_ptr<MemorySpace>> own = MemorySpace::create(bytesOf(size, space));
    if (!own.ok())
      return own.status();
    memory.spaces[size_t(space)] = *std::move(own);
  }
  memory.onChip = {memory.space(program::VMEM).words(), memory.space(program::SMEM).words()};
  memory.vmemReady.resize(size_t(size.vmemRows));
  memory.smemReady.resize(size_t(size.smemWords));
  return memory;
}

absl::StatusOr<Memory> Memory::create(const MemorySize &size) {
  std::array<std::shared_ptr<MemorySpace>, 2> own;
  for (size_t i : {0, 1}) {
    auto created = MemorySpace::create(bytesOf(size, i == 0 ? program::HBM : program::PINNED));
    if (!created.ok())
      return created.status();
    own[i] = *std::move(created);
  }
  absl::StatusOr<Memory> memory = create(size, own[0]);
  if (!memory.ok())
    return memory;
  memory->attachPinned(own[1]);
  if (absl::Status status = memory->setSize(size); !status.ok())
    return status;
  memory->place(program::HBM, AddressMap::identity(size.hbmRows));
  memory->place(program::PINNED, AddressMap::identity(size.pinnedRows));
  return memory;
}

absl::Status Memory::setSize(const MemorySize &size) {
  for (const Space space : kSpaces) {
    used[size_t(space)] = bytesOf(size, space);
    Reservation &owners = ownersOf[size_t(space)];
    const size_t bytes = size_t(unitsOf(size, space)) * sizeof(Owner);
    if (owners.size() >= bytes)
      continue;
    absl::StatusOr<Reservation> larger = Reservation::create(bytes);
    if (!larger.ok())
      return larger.status();
    owners = *std::move(larger);
  }
  return absl::OkStatus();
}

void Memory::reset() {
  assert(copiesOnVmem == 0 && copiesOnSmem == 0 && "no copy is in flight between runs");
  space(program::VMEM).discardAll();
  // Stores to SMEM are not noted.
  if (const size_t bytes = used[program::SMEM])
    std::memset(smem(), 0, bytes);
  std::fill_n(vmemReady.begin(), used[program::VMEM] / isa::kRowBytes, 0);
  std::fill_n(smemReady.begin(), used[program::SMEM] / sizeof(uint32_t), 0);
  lastVmemReady = lastSmemReady = 0;
}

void Memory::releaseAll() {
  reset();
  space(program::HBM).releaseAll();
  space(program::PINNED).releaseAll();
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

// The words that a pattern lies between.
static std::pair<int64_t, int64_t> extentOf(const Pattern &p) {
  int64_t low = p.base, high = p.base + p.chunk;
  for (int i = 0; i < p.levels; ++i) {
    const int64_t span = (p.counts[size_t(i)] - 1) * p.strides[size_t(i)];
    (span < 0 ? low : high) += span;
  }
  return {low, high};
}

// Less is copied at once, and by no more calls.
static constexpr int64_t kPartBytes = 32 * 1024, kMostParts = 64;

struct Level {
  size_t index;
  int64_t count;
};
// The level that has more than one chunk, and is outside of the others.
static Level outermost(const Pattern &p) {
  auto level = size_t(p.levels - 1);
  while (level > 0 && p.counts[level] == 1)
    --level;
  return {level, p.counts[level]};
}

// Whether chunks of different indexes at the outermost level have no words in common.
static bool isDisjoint(const Pattern &p) {
  if (p.levels == 0)
    return true;
  const size_t outer = outermost(p).index;
  int64_t inside = p.chunk;
  for (size_t level = 0; level < outer; ++level)
    inside += (p.counts[level] - 1) * std::abs(p.strides[level]);
  return std::abs(p.strides[outer]) >= inside;
}

// A range of the chunks at the outermost level, or, of one chunk, of its rows.
static Pattern partOf(Pattern p, int64_t begin, int64_t end, bool isLast) {
  if (p.levels == 0) {
    p.base += begin * isa::kLanes;
    p.chunk = isLast ? p.chunk - begin * isa::kLanes : (end - begin) * isa::kLanes;
    return p;
  }
  const size_t level = outermost(p).index;
  p.base += begin * p.strides[level];
  p.counts[level] = end - begin;
  return p;
}

bool Memory::locate(Pattern &p) const {
  if (!isMapped(p.space))
    return true;
  const auto [low, high] = extentOf(p);
  const Segment &segment = map(p.space).at(low / isa::kLanes);
  if (high > segment.end * isa::kLanes)
    return false;
  p.base += (segment.place - segment.begin) * isa::kLanes;
  return true;
}

bool Memory::isWritable(const Pattern &pattern) const {
  if (!isMapped(pattern.space) || !map(pattern.space).isReadOnlySomewhere())
    return true;
  const auto [low, high] = extentOf(pattern);
  if (const Segment &segment = map(pattern.space).at(low / isa::kLanes);
      high <= segment.end * isa::kLanes)
    return !segment.isReadOnly;
  bool isWritable = true;
  forEachChunk(pattern, [&](int64_t word) {
    const int64_t last = (word + pattern.chunk - 1) / isa::kLanes;
    for (int64_t row = word / isa::kLanes; isWritable && row <= last;) {
      const Segment &segment = map(pattern.space).at(row);
      isWritable = !segment.isReadOnly;
      row = segment.end;
    }
  });
  return isWritable;
}

// Notes the accesses of a copy between patterns that are located.
static void prepareMove(const Pattern &source, MemorySpace &from, const Pattern &target,
                        MemorySpace &to) {
  const auto [low, high] = extentOf(source);
  from.prepareRead(size_t(low) * 4, size_t(high - low) * 4);
  forEachChunk(target,
               [&](int64_t word) { to.prepareWrite(size_t(word) * 4, size_t(target.chunk) * 4); });
}

static void copyWords(const Pattern &source, const uint32_t *from, const Pattern &target,
                      uint32_t *to) {
  const size_t bytes = size_t(source.chunk) * 4;
  forEachChunkOf(source, target,
                 [&](int64_t at, int64_t place) { std::memcpy(to + place, from + at, bytes); });
}

void Memory::move(const Pattern &from, const Pattern &to) {
  if (from.words() == 0)
    return;
  Pattern source = from, target = to;
  joinChunks(source, target);
  if (!locate(source) || !locate(target))
    return moveParts(from, to);
  prepareMove(source, space(source.space), target, space(target.space));
  const uint32_t *read = space(source.space).words();
  uint32_t *written = space(target.space).words();
  const int64_t bytes = source.words() * 4;
  if (!helper || bytes < 2 * kPartBytes || source.space == program::SMEM ||
      target.space == program::SMEM || !isDisjoint(target))
    return copyWords(source, read, target, written);
  const int64_t units = source.levels == 0 ? source.chunk / isa::kLanes : outermost(source).count;
  const auto parts = int(std::min({units, bytes / kPartBytes, kMostParts}));
  helper->start(parts, [=](int part) {
    const int64_t begin = units * part / parts, end = units * (part + 1) / parts;
    copyWords(partOf(source, begin, end, end == units), read,
              partOf(target, begin, end, end == units), written);
  });
}

template <typename F> void Memory::forEachPart(Space space, int64_t word, size_t bytes, F f) {
  const auto words = int64_t((bytes + 3) / 4);
  auto part = [&](int64_t at, int64_t count) {
    const size_t here = std::min(bytes, size_t(count) * 4);
    f(size_t(at) * 4, here);
    bytes -= here;
  };
  isMapped(space) ? map(space).forEachPart(word, words, part) : part(word, words);
}

void Memory::read(Space space, int64_t word, char *to, size_t bytes) {
  MemorySpace &from = this->space(space);
  forEachPart(space, word, bytes, [&](size_t at, size_t count) {
    from.prepareRead(at, count);
    std::memcpy(to, from.data() + at, count);
    to += count;
  });
}

void Memory::write(Space space, int64_t word, const char *from, size_t bytes) {
  MemorySpace &to = this->space(space);
  forEachPart(space, word, bytes, [&](size_t at, size_t count) {
    to.prepareWrite(at, count);
    std::memcpy(to.data() + at, from, count);
    from += count;
  });
}

void Memory::read(Space space, int64_t word, int64_t words, uint32_t *to) {
  read(space, word, reinterpret_cast<char *>(to), size_t(words) * 4);
}

void Memory::write(Space space, int64_t word, int64_t words, const uint32_t *from) {
  write(space, word, reinterpret_cast<const char *>(from), size_t(words) * 4);
}

void Memory::moveParts(const Pattern &from, const Pattern &to) {
  MemorySpace &source = space(from.space);
  forEachChunkOf(from, to, [&](int64_t word, int64_t target) {
    forEachPart(from.space, word, size_t(from.chunk) * 4, [&](size_t at, size_t bytes) {
      source.prepareRead(at, bytes);
      write(to.space, target, reinterpret_cast<const char *>(source.data() + at), bytes);
      target += int64_t(bytes / 4);
    });
  });
}

uint32_t *Memory::find(Space space, int64_t word, int64_t words, bool isWritten) {
  Pattern range;
  range.space = space;
  range.base = word;
  range.chunk = words;
  MemorySpace &memory = this->space(space);
  if (words == 0)
    return memory.words();
  if (!locate(range))
    return nullptr;
  memory.prepareRead(size_t(range.base) * 4, size_t(words) * 4);
  if (isWritten)
    memory.prepareWrite(size_t(range.base) * 4, size_t(words) * 4);
  return memory.words() + range.base;
}

} // namespace systole::emulation
