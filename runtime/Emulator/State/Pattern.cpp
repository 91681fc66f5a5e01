// Patterns of words in their simplest form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Pattern.h"

#include <cassert>

namespace systole::emulation {

int64_t Pattern::words() const {
  int64_t total = chunk;
  for (int i = 0; i < levels; ++i)
    total *= counts[size_t(i)];
  return total;
}

void dropLevel(Pattern &p, int level) {
  assert(level >= 0 && level < p.levels && "no such level");
  for (int i = level; i + 1 < p.levels; ++i) {
    p.counts[size_t(i)] = p.counts[size_t(i) + 1];
    p.strides[size_t(i)] = p.strides[size_t(i) + 1];
  }
  --p.levels;
  p.counts[size_t(p.levels)] = 1;
  p.strides[size_t(p.levels)] = 0;
}

void simplify(Pattern &p) {
  for (int level = p.levels - 1; level >= 0; --level) {
    int64_t &stride = p.strides[size_t(level)];
    if (stride < 0) {
      p.base += stride * (p.counts[size_t(level)] - 1);
      stride = -stride;
    }
    if (stride == 0 || p.counts[size_t(level)] == 1)
      dropLevel(p, level);
  }
  while (p.levels > 0 && p.strides[0] == p.chunk) {
    p.chunk *= p.counts[0];
    dropLevel(p, 0);
  }
}

void joinChunks(Pattern &a, Pattern &b) {
  while (a.levels > 0 && a.strides[0] == a.chunk && b.strides[0] == b.chunk) {
    for (Pattern *p : {&a, &b}) {
      p->chunk *= p->counts[0];
      dropLevel(*p, 0);
    }
  }
}

} // namespace systole::emulation
