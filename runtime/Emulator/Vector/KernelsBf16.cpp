// The AVX-512 variant with the host's bf16 dot product for the MXUs.
//
// An instruction adds the product of the upper halves of two cells, then that of
// the lower ones, each as one fused multiply-add, to nearest even with denormals
// flushed: the order of the MXUs, if even rows are in upper halves. The host's
// actual results are compared with multiply-adds before this variant is used.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <immintrin.h>

#define SYSTOLE_VARIANT kernels_bf16
#include "runtime/Emulator/Vector/Cells.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole {

namespace kernels_avx512 {
extern const KernelTable table;
} // namespace kernels_avx512

namespace kernels_bf16 {

namespace {

// Four panels of 32 columns; each row of a panel holds two rows of weights.
constexpr int kPanel = 32;
constexpr int kPairs = kTileSize / 2;

u32 *cellOf(void *weights, int k, int n) {
  return static_cast<u32 *>(weights) + n / kPanel * kPanel * kPairs + k / 2 * kPanel + n % kPanel;
}

// Inserts one weight into its half of a cell.
SYSTOLE_CELL u32 withHalf(u32 cell, u32 weight, bool upper) {
  return upper ? (cell & 0xffff) | weight : (cell & 0xffff0000u) | weight >> 16;
}

void latch(void *weights, CellRows a, int group) {
  for (int s = 0; s < isa::kSublanes; s += 2)
    for (int p = 0; p < kTileSize; p += kPanel) {
      u32 *to = cellOf(weights, group * isa::kSublanes + s, p);
      const u32 *even = a.row(s) + p, *odd = a.row(s + 1) + p;
      for (int l = 0; l < kPanel; ++l)
        to[l] = roundBf16(even[l]) | roundBf16(odd[l]) >> 16;
    }
}

void latchTransposed(void *weights, CellRows a, int group) {
  alignas(64) u32 rounded[kCells];
  for (int s = 0; s < isa::kSublanes; ++s)
    for (int l = 0; l < isa::kLanes; ++l)
      rounded[s * isa::kLanes + l] = roundBf16(a.row(s)[l]);
  for (int l = 0; l < isa::kLanes; l += 2) {
    u32 *to = cellOf(weights, l, group * isa::kSublanes);
    for (int s = 0; s < isa::kSublanes; ++s)
      to[s] = rounded[s * isa::kLanes + l] | rounded[s * isa::kLanes + l + 1] >> 16;
  }
}

void readWeights(u32 *a, const void *weights, int group) {
  for (int s = 0; s < isa::kSublanes; ++s)
    for (int l = 0; l < isa::kLanes; ++l) {
      const u32 cell = *cellOf(const_cast<void *>(weights), group * isa::kSublanes + s, l);
      a[s * isa::kLanes + l] = s % 2 == 0 ? cell & 0xffff0000u : cell << 16;
    }
}

void clear(void *weights, int k, int kCount, int n, int nCount) {
  for (int row = k; row < k + kCount; ++row)
    for (int column = n; column < n + nCount; ++column) {
      u32 *cell = cellOf(weights, row, column);
      *cell = withHalf(*cell, 0, row % 2 == 0);
    }
}

// Eight or one rows times 32 columns, in registers while k ascends.
template <int rows>
[[gnu::always_inline]] inline void block(float *d, const u32 *pairs, const u32 *panel, int k) {
  __m512 sum[rows][2];
  SYSTOLE_UNROLL
  for (int r = 0; r < rows; ++r)
    sum[r][0] = sum[r][1] = _mm512_setzero_ps();
  for (int i = 0; i < k / 2; ++i, panel += kPanel) {
    __m512i w0 = _mm512_loadu_si512(panel), w1 = _mm512_loadu_si512(panel + 16);
    SYSTOLE_UNROLL
    for (int r = 0; r < rows; ++r) {
      __m512i cell = _mm512_set1_epi32(int(pairs[r * kPairs + i]));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], __m512bh(cell), __m512bh(w0));
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], __m512bh(cell), __m512bh(w1));
    }
  }
  if (k % 2) {
    // The last row has no second row: not even a zero may be added for it.
    __m512i upper = _mm512_set1_epi32(int(0xffff0000u));
    __m512 w0 = _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(panel), upper));
    __m512 w1 = _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(panel + 16), upper));
    SYSTOLE_UNROLL
    for (int r = 0; r < rows; ++r) {
      __m512 cell = _mm512_set1_ps(f(pairs[r * kPairs + k / 2] & 0xffff0000u));
      sum[r][0] = _mm512_fmadd_ps(cell, w0, sum[r][0]);
      sum[r][1] = _mm512_fmadd_ps(cell, w1, sum[r][1]);
    }
  }
  SYSTOLE_UNROLL
  for (int r = 0; r < rows; ++r) {
    _mm512_storeu_ps(d + r * kTileSize, sum[r][0]);
    _mm512_storeu_ps(d + r * kTileSize + 16, sum[r][1]);
  }
}

void pushOne(u32 *d, CellRows a, const void *weights, int rows, int k, int n) {
  alignas(64) u32 pairs[isa::kSublanes * kPairs];
  alignas(64) float results[isa::kSublanes * kTileSize];
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < kPairs; ++i)
      pairs[r * kPairs + i] = roundBf16(a.row(r)[2 * i]) | roundBf16(a.row(r)[2 * i + 1]) >> 16;
  const u32 *cells = static_cast<const u32 *>(weights);
  for (int column = 0; column < n; column += kPanel) {
    const u32 *panel = cells + column * kPairs;
    if (rows == isa::kSublanes) {
      block<isa::kSublanes>(results + column, pairs, panel, k);
      continue;
    }
    for (int row = 0; row < rows; ++row)
      block<1>(results + row * kTileSize + column, pairs + row * kPairs, panel, k);
  }
  for (int r = 0; r < isa::kSublanes; ++r)
    for (int l = 0; l < isa::kLanes; ++l)
      d[r * isa::kLanes + l] = r < rows && l < n ? bits(results[r * kTileSize + l]) : 0;
}

void push(const KernelTable::Rows &registers, const void *weights, int k, int n) {
  for (int i = 0; i < registers.count; ++i)
    pushOne(registers.d[i], registers.a[i], weights, registers.rows, k, n);
}

// Whether the host's dot product equals the two multiply-adds, bit for bit, on
// values that would expose another order, another rounding or unflushed denormals.
bool matchesMultiplyAdds() {
  FlushDenormals flush;
  u32 state = 12345;
  auto next = [&] { return state = state * 1664525 + 1013904223; };
  for (int round = 0; round < 512; ++round) {
    alignas(64) u32 a[16], b[16];
    alignas(64) float sum[16], got[16];
    for (int i = 0; i < 16; ++i) {
      // Similar exponents, so that sums round; some near the least one.
      u32 exponents = round % 4 == 3 ? 0x20002000u : 0x3f003f00u;
      a[i] = exponents ^ (next() & 0x80ff80ffu);
      b[i] = exponents ^ (next() >> 3 & 0x80ff80ffu);
      sum[i] = f((round % 4 == 3 ? 0x00800000u : 0x3f000000u) ^ (next() & 0x80ffffffu));
    }
    _mm512_storeu_ps(got, _mm512_dpbf16_ps(_mm512_loadu_ps(sum), __m512bh(_mm512_loadu_si512(a)),
                                           __m512bh(_mm512_loadu_si512(b))));
    for (int i = 0; i < 16; ++i) {
      volatile float first = fma(f(a[i] & 0xffff0000u), f(b[i] & 0xffff0000u), sum[i]);
      volatile float second = fma(f(a[i] << 16), f(b[i] << 16), first);
      if (bits(second) != bits(got[i]))
        return false;
    }
  }
  return true;
}

} // namespace

// Null if the host's instruction behaves differently.
const KernelTable *table() {
  static const KernelTable *const usable = [] {
    static KernelTable mine = kernels_avx512::table;
    mine.name = "AVX-512 with bf16";
    mine.latch = latch;
    mine.latchTransposed = latchTransposed;
    mine.readWeights = readWeights;
    mine.clear = clear;
    mine.push = push;
    return matchesMultiplyAdds() ? &mine : nullptr;
  }();
  return usable;
}

} // namespace kernels_bf16

} // namespace systole
