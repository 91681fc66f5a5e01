// The words of one memory that a copy reads or writes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_PATTERN_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_PATTERN_H

#include <array>
#include <cstdint>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole::emulation {

// Words of one memory: `chunk` of them, repeated with strides; level 0 innermost.
struct Pattern {
  program::Space space = program::HBM;
  int64_t base = 0;
  int64_t chunk = 0;
  int levels = 0;
  std::array<int64_t, 3> counts{}, strides{};

  int64_t words() const;
};

// The words of a unit of ownership: a row, or one in SMEM.
inline int64_t unitWords(program::Space space) {
  return space == program::SMEM ? 1 : int64_t(isa::kLanes);
}

// Removes a level, which has one count or no effect.
void dropLevel(Pattern &p, int level);

// The same words as a set: strides made positive, repetitions dropped, adjacent chunks joined.
void simplify(Pattern &p);

// Joins chunks that are adjacent in both patterns, which have equal counts and chunks.
void joinChunks(Pattern &a, Pattern &b);

// Calls f(word of a, word of b) for the first words of each chunk of two patterns with equal
// counts.
template <typename F> void forEachChunkOf(const Pattern &a, const Pattern &b, F f) {
  int64_t n0 = a.levels > 0 ? a.counts[0] : 1;
  int64_t n1 = a.levels > 1 ? a.counts[1] : 1;
  int64_t n2 = a.levels > 2 ? a.counts[2] : 1;
  for (int64_t k = 0; k < n2; ++k)
    for (int64_t j = 0; j < n1; ++j) {
      int64_t atA = a.base + k * a.strides[2] + j * a.strides[1];
      int64_t atB = b.base + k * b.strides[2] + j * b.strides[1];
      for (int64_t i = 0; i < n0; ++i, atA += a.strides[0], atB += b.strides[0])
        f(atA, atB);
    }
}

// Calls f(word) for the first word of each chunk.
template <typename F> void forEachChunk(const Pattern &p, F f) {
  forEachChunkOf(p, p, [&](int64_t at, int64_t) { f(at); });
}

// Calls f(unit, count) for runs of units; a unit shared by consecutive chunks
// is visited once.
template <typename F> void forEachRun(const Pattern &p, F f) {
  int64_t unit = unitWords(p.space), last = -1;
  forEachChunk(p, [&](int64_t at) {
    int64_t first = at / unit, end = (at + p.chunk - 1) / unit + 1;
    if (first == last)
      ++first;
    if (first < end)
      f(first, end - first);
    last = end - 1;
  });
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_PATTERN_H
