// Copies in a run for timing: they move what is known, and the origins of what is not.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "runtime/Emulator/Execution/CopyEngine.h"

namespace systole::emulation {

void markUnits(const Pattern &pattern, Origin origin, RowOrigins &rows) {
  Pattern units = pattern;
  simplify(units);
  Origin *origins = rows.of(units.space);
  forEachRun(units,
             [&](int64_t first, int64_t count) { std::fill_n(origins + first, count, origin); });
}

// Where the contents of the whole copy come from if they are unknown; kKnown if some may be known.
Origin CopyEngine::originOfContents(const CopyRequest &request, const Pattern &src,
                                    const Pattern &dst) const {
  if (src.space == program::HOST)
    return kNever;
  if (src.space == program::VMEM && !request.isComputed)
    return dst.space == program::HBM ? context.known.demand->origins().ofRegion(request.dstRegion)
                                     : context.known.demand->origins().ofKernel(request.kernel);
  return request.srcOrigin;
}

bool CopyEngine::keep(program::Space space, int64_t word, int64_t words) {
  if (space != program::HBM)
    return true;
  ++context.known.knownWrites;
  context.memory.space(program::HBM).prepareWrite(size_t(word) * 4, size_t(words) * 4);
  return context.memory.touchedBytes() <= context.known.demand->mostHbmBytes();
}

// A write to an unknown address may change any row of the region.
void CopyEngine::markRegion(const CopyRequest &request, Origin origin, const Pattern &dst) {
  const auto index = size_t(request.dstRegion);
  if (dst.space == program::HBM && context.known.unknownSince[index] == context.known.knownWrites)
    return;
  const program::Region &region = header->regions(request.dstRegion);
  std::fill_n(context.known.rows.of(dst.space) + region.base(), region.size(), origin);
  if (dst.space == program::HBM)
    context.known.unknownSince[index] = context.known.knownWrites;
}

void CopyEngine::mark(const CopyRequest &request, program::Space space, int64_t unit, bool isWhole,
                      Origin origin) {
  if (space == program::VMEM)
    return context.known.rows.markVmem(unit, request.dstRegion, isWhole, origin,
                                       context.known.demand->origins());
  Origin &mark = context.known.rows.of(space)[unit];
  mark = isWhole ? origin : context.known.demand->origins().join(mark, origin);
}

// A chunk of whole rows: each has an origin of its context.
void CopyEngine::moveRows(const CopyRequest &request, const Pattern &src, int64_t from,
                          const Pattern &dst, int64_t to) {
  constexpr int64_t row = isa::kLanes;
  for (int64_t end = from + src.chunk; from < end; from += row, to += row) {
    Origin origin = context.known.rows.of(src.space)[from / row];
    if (origin == kKnown && !keep(dst.space, to, row))
      origin = kNever;
    mark(request, dst.space, to / row, true, origin);
    if (origin == kKnown)
      std::memcpy(context.memory.space(dst.space).words() + to,
                  context.memory.space(src.space).words() + from, isa::kRowBytes);
  }
}

// Any other chunk: all of it is as unknown as each of its units.
void CopyEngine::moveWords(const CopyRequest &request, const Pattern &src, int64_t from,
                           const Pattern &dst, int64_t to) {
  auto forEachUnit = [](const Pattern &p, int64_t at, auto f) {
    const int64_t unit = unitWords(p.space);
    for (int64_t i = at / unit; i * unit < at + p.chunk; ++i)
      f(i, i * unit >= at && (i + 1) * unit <= at + p.chunk);
  };
  Origin origin = kKnown;
  forEachUnit(src, from, [&](int64_t unit, bool) {
    origin = context.known.demand->origins().join(origin, context.known.rows.of(src.space)[unit]);
  });
  if (origin == kKnown && !keep(dst.space, to, dst.chunk))
    origin = kNever;
  forEachUnit(dst, to,
              [&](int64_t unit, bool isWhole) { mark(request, dst.space, unit, isWhole, origin); });
  if (origin == kKnown)
    std::memcpy(context.memory.space(dst.space).words() + to,
                context.memory.space(src.space).words() + from, size_t(src.chunk) * 4);
}

void CopyEngine::moveKnown(const CopyRequest &request, const Pattern &src, const Pattern &dst) {
  if (dst.space == program::HBM)
    context.known.demand->noteWrite(request.kernel, request.dstRegion);
  // Nothing reads the VMEM of a kernel that is not computed.
  if (dst.space == program::VMEM && !request.isComputed)
    return;
  const Origin contents = originOfContents(request, src, dst);
  if (request.dstOrigin != kKnown)
    return markRegion(request, contents != kKnown ? contents : request.dstOrigin, dst);
  if (contents != kKnown) {
    if (dst.space != program::VMEM)
      return markUnits(dst, contents, context.known.rows);
    return forEachRun(dst, [&](int64_t first, int64_t count) {
      for (int64_t row = first; row < first + count; ++row)
        mark(request, dst.space, row, true, contents);
    });
  }
  Pattern from = src, to = dst;
  joinChunks(from, to);
  auto isRows = [](const Pattern &p) {
    auto isAligned = [](int64_t words) { return words % isa::kLanes == 0; };
    return p.space != program::SMEM && isAligned(p.base) && isAligned(p.chunk) &&
           std::all_of(p.strides.begin(), p.strides.begin() + p.levels, isAligned);
  };
  const bool areRows = isRows(from) && isRows(to);
  forEachChunkOf(from, to, [&](int64_t source, int64_t target) {
    if (areRows)
      moveRows(request, from, source, to, target);
    else
      moveWords(request, from, source, to, target);
  });
}

} // namespace systole::emulation
