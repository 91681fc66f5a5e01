// Lane-wise instructions and reductions against definitions of their own, on
// every variant of the kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <functional>
#include <random>

#include "test/unit/runtime/Emulator/Cells.h"
#include "gtest/gtest.h"

using namespace systole;
using namespace systole::test;
using isa::Opcode;

namespace {

using Expected = std::function<uint32_t(uint32_t, uint32_t, uint32_t)>;

std::vector<uint32_t> operands() {
  std::vector<uint32_t> values = specialValues();
  std::mt19937 random(7);
  while (values.size() < 3000)
    values.push_back(random());
  // Ties and neighbours of them, for roundings to bf16 and f16.
  for (uint32_t base : {0x3f800000u, 0x387fe000u, 0x38800000u, 0x477fe000u, 0x7f7f0000u})
    for (int d = -2; d <= 2; ++d)
      for (uint32_t half : {0u, 0x1000u, 0x8000u})
        values.push_back(base + half + uint32_t(d));
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

bool same(uint32_t x, uint32_t y) {
  return x == y || (std::isnan(asFloat(x)) && std::isnan(asFloat(y)));
}

// Checks all forms of an instruction: each operand as a register or one cell.
void check(Opcode opcode, int arity, const Expected &expected, bool isFloat = true) {
  std::vector<uint32_t> values = operands();
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    Register in[3], out;
    for (Register &r : in)
      for (uint32_t &cell : r.cells)
        cell = values[random() % values.size()];
    for (const KernelTable *table : runnableKernels())
      for (int splats = 0; splats < 1 << arity; ++splats) {
        auto *kernel = table->lanes[size_t(opcode)][splats];
        ASSERT_NE(kernel, nullptr) << isa::info(opcode).mnemonic << " " << splats;
        {
          FlushDenormals flush;
          kernel(out.cells, in[0].cells, in[1].cells, in[2].cells, {});
        }
        auto cell = [&](int operand, int i) {
          return in[operand].cells[splats >> operand & 1 ? 0 : i];
        };
        for (int i = 0; i < kCells; ++i) {
          uint32_t want = expected(cell(0, i), cell(1, i), cell(2, i));
          ASSERT_TRUE(isFloat ? same(out.cells[i], want) : out.cells[i] == want)
              << isa::info(opcode).mnemonic << " on " << table->name << " of " << std::hex
              << cell(0, i) << ", " << cell(1, i) << ", " << cell(2, i) << ": " << out.cells[i]
              << ", not " << want;
        }
      }
  }
}

float in(uint32_t x) { return flushed(asFloat(x)); }
// The f32 nearest to an exact value that f64 holds well enough, flushed.
uint32_t out(double exact) {
  bool tiny = std::fabs(exact) < 0x1.ffffffp-127;
  return asBits(tiny ? std::copysign(0.0f, float(exact)) : float(exact));
}

TEST(Lanes, Arithmetic) {
  // f64 holds sums of f32 well enough that rounding twice gives the same, except
  // in ties it cannot see: f32 arithmetic itself is the better reference there.
  check(Opcode::v_fadd, 2, [](auto a, auto b, auto) { return asBits(flushed(in(a) + in(b))); });
  check(Opcode::v_fsub, 2, [](auto a, auto b, auto) { return asBits(flushed(in(a)-in(b))); });
  check(Opcode::v_fmul, 2, [](auto a, auto b, auto) { return out(double(in(a)) * double(in(b))); });
}

TEST(Lanes, FusedMultiplyAdd) {
  check(Opcode::v_fma, 3, [](auto a, auto b, auto c) {
    float x = in(a), y = in(b), z = in(c);
    float result = std::fma(x, y, z);
    // Tiny before the denormal grid rounds it up to the least normal number.
    long double exact = (long double)(x)*y + z;
    return std::fabs(exact) < 0x1.ffffffp-127L && !std::isnan(result)
               ? asBits(std::copysign(0.0f, result))
               : asBits(flushed(result));
  });
}

TEST(Lanes, MinimaAndMaxima) {
  auto pick = [](bool least) {
    return [least](uint32_t a, uint32_t b, uint32_t) {
      float x = in(a), y = in(b);
      if (std::isnan(x) || std::isnan(y))
        return 0x7fc00000u;
      if (x == y)
        return asBits(std::signbit(x) == least ? x : y);
      return asBits((x < y) == least ? x : y);
    };
  };
  check(Opcode::v_fmin, 2, pick(true));
  check(Opcode::v_fmax, 2, pick(false));
}

TEST(Lanes, RoundingToWholeNumbers) {
  check(Opcode::v_floor, 1, [](auto a, auto, auto) { return asBits(std::floor(in(a))); });
  check(Opcode::v_ceil, 1, [](auto a, auto, auto) { return asBits(std::ceil(in(a))); });
  check(Opcode::v_trunc, 1, [](auto a, auto, auto) { return asBits(std::trunc(in(a))); });
  check(Opcode::v_round, 1, [](auto a, auto, auto) { return asBits(std::nearbyint(in(a))); });
}

// The nearest number with fewer bits of significand, by trying both neighbours.
float nearestShort(float x, int droppedBits) {
  uint32_t down = asBits(x) & ~((1u << droppedBits) - 1), up = down + (1u << droppedBits);
  // The step above the largest finite number counts as that far away.
  double low = asFloat(down), high = std::isinf(asFloat(up)) ? 0x1p128 : asFloat(up);
  high = std::copysign(high, low);
  double below = std::fabs(double(x) - low), above = std::fabs(high - double(x));
  bool even = (down >> droppedBits & 1) == 0;
  return asFloat(below < above || (below == above && even) ? down : up);
}

uint32_t toBf16(uint32_t a) {
  float x = in(a);
  return std::isnan(x) || std::isinf(x) ? asBits(x) : asBits(nearestShort(x, 16));
}

TEST(Lanes, NarrowFloats) {
  check(Opcode::v_rnd_bf16, 1, [](auto a, auto, auto) { return toBf16(a); });
  check(Opcode::v_rnd_f16, 1, [](auto a, auto, auto) {
    float x = in(a);
    if (std::isnan(x) || std::isinf(x))
      return asBits(x);
    // On the grid of f16: steps of 2^-24 below 2^-14, of 2^-10 relative above.
    int exponent;
    std::frexp(x, &exponent);
    double step = std::ldexp(1.0, std::max(exponent - 1, -14) - 10);
    double rounded = std::nearbyint(double(x) / step) * step;
    if (std::fabs(rounded) > 65504)
      return asBits(std::copysign(INFINITY, x));
    return asBits(std::copysign(float(rounded), x));
  });
  check(Opcode::v_split_hi, 1, [](auto a, auto, auto) {
    uint32_t nearest = toBf16(a);
    bool overflows = std::isinf(asFloat(nearest)) && !std::isinf(asFloat(a));
    return overflows ? asBits(std::copysign(asFloat(0x7f7f0000), asFloat(a))) : nearest;
  });
  check(Opcode::v_split_lo, 2, [](auto a, auto b, auto) {
    return std::isfinite(asFloat(a)) ? asBits(flushed(in(a)-in(b))) : 0;
  });
}

TEST(Lanes, ThreePartsOfAFloatAddUp) {
  // hi + mid + lo is the number again, for all that are large enough.
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) {
    uint32_t a = random();
    float x = asFloat(a);
    if (!std::isfinite(x) || std::fabs(x) < 1e-30f)
      continue;
    float hi = asFloat(toBf16(a));
    if (std::isinf(hi))
      continue;
    float rest = x - hi, mid = asFloat(toBf16(asBits(rest))), lo = rest - mid;
    ASSERT_EQ(asBits(lo), toBf16(asBits(lo)));
    ASSERT_EQ(hi + (mid + lo), x);
  }
}

TEST(Lanes, Conversions) {
  check(Opcode::v_cvt_s32_f32, 1,
        [](auto a, auto, auto) { return asBits(float(double(int32_t(a)))); });
  check(Opcode::v_cvt_u32_f32, 1, [](auto a, auto, auto) { return asBits(float(double(a))); });
  check(
      Opcode::v_cvt_f32_s32, 1,
      [](auto a, auto, auto) {
        double x = std::trunc(double(in(a)));
        return std::isnan(x) ? 0u : uint32_t(int32_t(std::clamp(x, -2147483648.0, 2147483647.0)));
      },
      false);
  check(
      Opcode::v_cvt_f32_u32, 1,
      [](auto a, auto, auto) {
        double x = std::trunc(double(in(a)));
        return std::isnan(x) ? 0u : uint32_t(std::clamp(x, 0.0, 4294967295.0));
      },
      false);
}

TEST(Lanes, Integers) {
  using i64 = int64_t;
  auto integer = [](Opcode opcode, int arity, auto f) { check(opcode, arity, f, false); };
  integer(Opcode::v_add, 2, [](auto a, auto b, auto) { return uint32_t(i64(a) + i64(b)); });
  integer(Opcode::v_sub, 2, [](auto a, auto b, auto) { return uint32_t(i64(a) - i64(b)); });
  integer(Opcode::v_mul, 2,
          [](auto a, auto b, auto) { return uint32_t(uint64_t(a) * b % (1ull << 32)); });
  integer(Opcode::v_mulhi, 2,
          [](auto a, auto b, auto) { return uint32_t(uint64_t(a) * b / (1ull << 32)); });
  integer(Opcode::v_min, 2,
          [](auto a, auto b, auto) { return uint32_t(std::min(int32_t(a), int32_t(b))); });
  integer(Opcode::v_max, 2,
          [](auto a, auto b, auto) { return uint32_t(std::max(int32_t(a), int32_t(b))); });
  integer(Opcode::v_minu, 2, [](auto a, auto b, auto) { return std::min(a, b); });
  integer(Opcode::v_maxu, 2, [](auto a, auto b, auto) { return std::max(a, b); });
  integer(Opcode::v_and, 2, [](auto a, auto b, auto) { return ~(~a | ~b); });
  integer(Opcode::v_or, 2, [](auto a, auto b, auto) { return ~(~a & ~b); });
  integer(Opcode::v_xor, 2, [](auto a, auto b, auto) { return (a | b) - (a & b); });
  integer(Opcode::v_popcnt, 1, [](auto a, auto, auto) {
    uint32_t count = 0;
    for (; a; a &= a - 1)
      ++count;
    return count;
  });
  integer(Opcode::v_clz, 1, [](auto a, auto, auto) {
    uint32_t count = 0;
    while (count < 32 && !(a & (1u << (31 - count))))
      ++count;
    return count;
  });
}

TEST(Lanes, ShiftsByAnyAmount) {
  for (uint32_t amount : {0u, 1u, 7u, 31u, 32u, 33u, 63u, 64u, 0x80000000u, ~0u}) {
    Register a, d;
    std::mt19937 random(amount);
    for (uint32_t &cell : a.cells)
      cell = random();
    for (const KernelTable *table : runnableKernels()) {
      auto expect = [&](Opcode opcode, auto f) {
        table->lanes[size_t(opcode)][2](d.cells, a.cells, &amount, nullptr, {});
        for (int i = 0; i < kCells; ++i)
          ASSERT_EQ(d.cells[i], f(a.cells[i])) << isa::info(opcode).mnemonic << " by " << amount;
      };
      double power = std::ldexp(1.0, int(std::min(amount, 40u)));
      expect(Opcode::v_shl,
             [&](uint32_t x) { return amount > 31 ? 0 : uint32_t(uint64_t(x) << amount); });
      expect(Opcode::v_shr, [&](uint32_t x) { return uint32_t(std::floor(x / power)); });
      expect(Opcode::v_sra,
             [&](uint32_t x) { return uint32_t(int32_t(std::floor(int32_t(x) / power))); });
    }
  }
}

TEST(Lanes, Comparisons) {
  auto mask = [](bool x) { return x ? ~0u : 0u; };
  auto compare = [&](Opcode opcode, auto f) {
    check(opcode, 2, [&](uint32_t a, uint32_t b, uint32_t) { return mask(f(a, b)); }, false);
  };
  compare(Opcode::v_feq, [](auto a, auto b) { return in(a) == in(b); });
  compare(Opcode::v_fne, [](auto a, auto b) { return in(a) != in(b); });
  compare(Opcode::v_flt, [](auto a, auto b) { return in(a) < in(b); });
  compare(Opcode::v_fle, [](auto a, auto b) { return in(a) <= in(b); });
  compare(Opcode::v_eq, [](auto a, auto b) { return a == b; });
  compare(Opcode::v_ne, [](auto a, auto b) { return a != b; });
  compare(Opcode::v_lt, [](auto a, auto b) { return int32_t(a) < int32_t(b); });
  compare(Opcode::v_le, [](auto a, auto b) { return int32_t(a) <= int32_t(b); });
  compare(Opcode::v_ltu, [](auto a, auto b) { return a < b; });
  compare(Opcode::v_leu, [](auto a, auto b) { return a <= b; });
}

TEST(Lanes, Masks) {
  Register a, b, d;
  for (int i = 0; i < kCells; ++i) {
    a.cells[i] = i & 1 ? ~0u : 0;
    b.cells[i] = i & 2 ? ~0u : 0;
  }
  for (const KernelTable *table : runnableKernels()) {
    auto expect = [&](Opcode opcode, std::array<bool, 4> truth) {
      table->lanes[size_t(opcode)][0](d.cells, a.cells, b.cells, nullptr, {});
      for (int i = 0; i < kCells; ++i)
        ASSERT_EQ(d.cells[i], truth[size_t(i & 3)] ? ~0u : 0) << isa::info(opcode).mnemonic;
    };
    expect(Opcode::m_and, {false, false, false, true});
    expect(Opcode::m_or, {false, true, true, true});
    expect(Opcode::m_xor, {false, true, true, false});
    expect(Opcode::m_andn, {false, true, false, false});
  }
}

// The tree as isa.md states it: all 128 lanes, the lower lane first.
uint32_t tree(const uint32_t *row, const std::function<uint32_t(uint32_t, uint32_t)> &combine,
              int lane) {
  std::vector<uint32_t> lanes(row, row + 128);
  for (int distance = 64; distance; distance /= 2) {
    std::vector<uint32_t> next(128);
    for (int l = 0; l < 128; ++l)
      next[size_t(l)] = combine(lanes[size_t(l & ~distance)], lanes[size_t(l | distance)]);
    lanes = next;
  }
  return lanes[size_t(lane)];
}

TEST(Lanes, ReductionsFollowTheTree) {
  struct Case {
    Opcode opcode;
    std::function<uint32_t(uint32_t, uint32_t)> combine;
  };
  std::vector<Case> cases = {
      {Opcode::xlu_fadd, [](auto a, auto b) { return asBits(flushed(in(a) + in(b))); }},
      {Opcode::xlu_fmul, [](auto a, auto b) { return asBits(flushed(in(a)*in(b))); }},
      {Opcode::xlu_fmin, [](auto a, auto b) { return asBits(std::min(in(a), in(b))); }},
      {Opcode::xlu_fmax, [](auto a, auto b) { return asBits(std::max(in(a), in(b))); }},
      {Opcode::xlu_add, [](auto a, auto b) { return a + b; }},
      {Opcode::xlu_mul, [](auto a, auto b) { return a * b; }},
      {Opcode::xlu_min, [](auto a, auto b) { return int32_t(a) < int32_t(b) ? a : b; }},
      {Opcode::xlu_maxu, [](auto a, auto b) { return std::max(a, b); }},
      {Opcode::xlu_xor, [](auto a, auto b) { return a ^ b; }},
  };
  Register a, d;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> real(-2, 2);
  for (uint32_t &cell : a.cells)
    cell = asBits(real(random));
  for (const KernelTable *table : runnableKernels())
    for (const Case &c : cases) {
      {
        FlushDenormals flush;
        table->reduce[size_t(c.opcode)](d.cells, a.cells, nullptr, {});
      }
      for (int s = 0; s < 8; ++s)
        for (int l : {0, 1, 63, 64, 127})
          ASSERT_EQ(d.cells[s * 128 + l], tree(a.cells + s * 128, c.combine, l))
              << isa::info(c.opcode).mnemonic << " on " << table->name;
    }
}

TEST(Lanes, RowsOfMasks) {
  for (const KernelTable *table : runnableKernels()) {
    Register mask{}, from, to;
    for (uint32_t i = 0; i < kCells; ++i) {
      from.cells[i] = i;
      to.cells[i] = ~i;
    }
    EXPECT_EQ(table->rowsOfMask(mask.cells), 0u) << table->name;
    // One cell of row 0, the last of row 3, all of row 6.
    mask.cells[17] = mask.cells[3 * isa::kLanes + 127] = ~0u;
    std::fill_n(mask.cells + 6 * isa::kLanes, isa::kLanes, ~0u);
    EXPECT_EQ(table->rowsOfMask(mask.cells), 0b1001001u) << table->name;
    for (int s = 0; s < isa::kSublanes; ++s)
      table->mergeRow(to.cells + s * isa::kLanes, from.cells + s * isa::kLanes,
                      mask.cells + s * isa::kLanes);
    for (uint32_t i = 0; i < kCells; ++i) {
      bool merged = i == 17 || i == 3 * isa::kLanes + 127 || i / isa::kLanes == 6;
      ASSERT_EQ(to.cells[i], merged ? i : ~i) << table->name << " " << i;
    }
  }
}

} // namespace
