// Accuracy of the transcendental unit against the C library in long double, over
// a stride through all floats, and equality of the kernels' variants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "test/unit/runtime/Emulator/Cells.h"
#include "gtest/gtest.h"

using namespace systole;
using namespace systole::test;
using isa::Opcode;

namespace {

using Exact = long double (*)(long double);
using Exact2 = long double (*)(long double, long double);

struct Unary {
  Opcode opcode;
  Exact exact;
  int64_t allowed;
};

// Runs one push on a variant with the unit's arithmetic.
void run(const KernelTable &table, Opcode opcode, Register &d, const Register &a,
         const Register &b) {
  FlushDenormals flush;
  table.eup[size_t(opcode)](d.cells, a.cells, b.cells, {});
}

bool sameBits(const Register &x, const Register &y) {
  for (int i = 0; i < kCells; ++i)
    if (x.cells[i] != y.cells[i] &&
        !(std::isnan(asFloat(x.cells[i])) && std::isnan(asFloat(y.cells[i]))))
      return false;
  return true;
}

// All variants give the same bits; returns the best one's result.
Register runAll(Opcode opcode, const Register &a, const Register &b, bool portable) {
  Register first, other;
  bool isFirst = true;
  for (const KernelTable *table : runnableKernels()) {
    if (!isFirst && !portable && std::strcmp(table->name, "portable") == 0)
      continue;
    Register &d = isFirst ? first : other;
    run(*table, opcode, d, a, b);
    if (!isFirst) {
      EXPECT_TRUE(sameBits(first, other)) << isa::info(opcode).mnemonic << " on " << table->name;
    }
    isFirst = false;
  }
  return first;
}

class EupUnary : public testing::TestWithParam<Unary> {
protected:
  void check(const Register &a, bool portable) {
    Register d = runAll(GetParam().opcode, a, a, portable);
    for (int i = 0; i < kCells; ++i) {
      float x = flushed(asFloat(a.cells[i]));
      int64_t error = ulps(d.cells[i], GetParam().exact(x));
      worst = std::max(worst, error);
      ASSERT_LE(error, GetParam().allowed)
          << isa::info(GetParam().opcode).mnemonic << "(" << x << ") bits " << std::hex
          << a.cells[i] << " gives " << asFloat(d.cells[i]) << ", exactly "
          << double(GetParam().exact(x));
    }
  }
  int64_t worst = 0;
};

TEST_P(EupUnary, SpecialValues) {
  std::vector<uint32_t> values = specialValues();
  while (values.size() % kCells)
    values.push_back(0x3f800000);
  for (size_t i = 0; i < values.size(); i += kCells) {
    Register a;
    std::copy_n(values.data() + i, kCells, a.cells);
    check(a, true);
  }
}

TEST_P(EupUnary, StrideOverAllFloats) {
  constexpr uint64_t stride = 4409; // prime: about a million floats
  int block = 0;
  for (uint64_t at = 0; at < uint64_t(1) << 32 && !HasFatalFailure(); at += stride * kCells) {
    Register a;
    for (int i = 0; i < kCells; ++i)
      a.cells[i] = uint32_t(at + uint64_t(i) * stride);
    check(a, block++ % 64 == 0);
  }
  RecordProperty("worst_ulps", int(worst));
}

long double exact_recip(long double x) { return 1 / x; }
long double exact_rsqrt(long double x) { return 1 / std::sqrt(x); }
long double exact_sqrt(long double x) { return std::sqrt(x); }
long double exact_logistic(long double x) { return 1 / (1 + std::exp(-x)); }

INSTANTIATE_TEST_SUITE_P(
    All, EupUnary,
    testing::Values(Unary{Opcode::eup_exp, std::exp, 1}, Unary{Opcode::eup_exp2, std::exp2, 1},
                    Unary{Opcode::eup_log, std::log, 1}, Unary{Opcode::eup_log2, std::log2, 1},
                    Unary{Opcode::eup_tanh, std::tanh, 1}, Unary{Opcode::eup_recip, exact_recip, 0},
                    Unary{Opcode::eup_rsqrt, exact_rsqrt, 1},
                    Unary{Opcode::eup_sqrt, exact_sqrt, 0}, Unary{Opcode::eup_expm1, std::expm1, 1},
                    Unary{Opcode::eup_log1p, std::log1p, 1},
                    Unary{Opcode::eup_logistic, exact_logistic, 1},
                    Unary{Opcode::eup_sin, std::sin, 1}, Unary{Opcode::eup_cos, std::cos, 1},
                    Unary{Opcode::eup_tan, std::tan, 1}, Unary{Opcode::eup_cbrt, std::cbrt, 1}),
    [](const auto &info) { return std::string(isa::info(info.param.opcode).mnemonic).substr(4); });

class EupBinary : public testing::Test {
protected:
  void check(Opcode opcode, Exact2 exact, int64_t allowed, const std::vector<uint32_t> &as,
             const std::vector<uint32_t> &bs) {
    Register a, b;
    int n = 0;
    auto flush = [&] {
      Register d = runAll(opcode, a, b, portable++ % 64 == 0);
      for (int i = 0; i < n; ++i) {
        float x = flushed(asFloat(a.cells[i])), y = flushed(asFloat(b.cells[i]));
        ASSERT_LE(ulps(d.cells[i], exact(x, y)), allowed)
            << isa::info(opcode).mnemonic << "(" << x << ", " << y << ") bits " << std::hex
            << a.cells[i] << ", " << b.cells[i] << " gives " << asFloat(d.cells[i]) << ", exactly "
            << double(exact(x, y));
      }
      n = 0;
    };
    std::fill_n(a.cells, kCells, 0);
    std::fill_n(b.cells, kCells, 0);
    for (uint32_t x : as)
      for (uint32_t y : bs) {
        a.cells[n] = x;
        b.cells[n] = y;
        if (++n == kCells)
          flush();
        if (HasFatalFailure())
          return;
      }
    flush();
  }
  void checkPairs(Opcode opcode, Exact2 exact, int64_t allowed) {
    std::vector<uint32_t> special = specialValues();
    check(opcode, exact, allowed, special, special);
    std::vector<uint32_t> xs, ys;
    for (uint64_t i = 0; i < 1000; ++i) {
      xs.push_back(uint32_t(i * 4294967) ^ uint32_t(i * 977));
      ys.push_back(asBits(float(i) / 77 - 6.1f));
    }
    check(opcode, exact, allowed, xs, ys);
    check(opcode, exact, allowed, ys, xs);
    check(opcode, exact, allowed, ys, ys);
  }
  int portable = 0;
};

TEST_F(EupBinary, Division) {
  checkPairs(Opcode::eup_div, [](long double x, long double y) { return x / y; }, 0);
}
TEST_F(EupBinary, Power) { checkPairs(Opcode::eup_pow, std::pow, 1); }
TEST_F(EupBinary, Arctangent) { checkPairs(Opcode::eup_atan2, std::atan2, 1); }

} // namespace
