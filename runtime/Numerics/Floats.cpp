// Floating-point numbers of all types as doubles, and facts of these types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Floats.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

namespace systole::numerics {

static std::string_view partOf(std::string_view dtype) {
  if (dtype == "complex<f32>")
    return "f32";
  if (dtype == "complex<f64>")
    return "f64";
  return dtype;
}

static const llvm::fltSemantics *semanticsOf(std::string_view dtype) {
  using F = llvm::APFloatBase;
  return llvm::StringSwitch<const llvm::fltSemantics *>({dtype.data(), dtype.size()})
      .Case("f64", &F::IEEEdouble())
      .Case("f32", &F::IEEEsingle())
      .Case("bf16", &F::BFloat())
      .Case("f16", &F::IEEEhalf())
      .Case("f8E3M4", &F::Float8E3M4())
      .Case("f8E4M3", &F::Float8E4M3())
      .Case("f8E4M3FN", &F::Float8E4M3FN())
      .Case("f8E4M3FNUZ", &F::Float8E4M3FNUZ())
      .Case("f8E4M3B11FNUZ", &F::Float8E4M3B11FNUZ())
      .Case("f8E5M2", &F::Float8E5M2())
      .Case("f8E5M2FNUZ", &F::Float8E5M2FNUZ())
      .Case("f8E8M0FNU", &F::Float8E8M0FNU())
      .Case("f6E2M3FN", &F::Float6E2M3FN())
      .Case("f6E3M2FN", &F::Float6E3M2FN())
      .Case("f4E2M1FN", &F::Float4E2M1FN())
      .Default(nullptr);
}

static double exactly(llvm::APFloat number) {
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

std::optional<FloatFacts> floatFacts(std::string_view dtype) {
  const llvm::fltSemantics *semantics = semanticsOf(partOf(dtype));
  if (!semantics)
    return std::nullopt;
  FloatFacts facts;
  facts.digits = int(llvm::APFloat::semanticsPrecision(*semantics));
  facts.leastExponent = llvm::APFloat::semanticsMinExponent(*semantics);
  facts.leastNormal = std::ldexp(1.0, facts.leastExponent);
  facts.largest = exactly(llvm::APFloat::getLargest(*semantics));
  return facts;
}

int exponentOf(double x) {
  const int biased = int(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
  return biased == 0 ? std::ilogb(x) : biased - 1023;
}

double FloatFacts::ulp(double x) const {
  const int exponent = x == 0 ? leastExponent : std::max(exponentOf(x), leastExponent);
  return std::ldexp(1.0, exponent - digits + 1);
}

std::vector<double> toDoubles(std::string_view dtype, std::span<const uint8_t> bytes) {
  const std::string_view part = partOf(dtype);
  const llvm::fltSemantics *semantics = semanticsOf(part);
  std::vector<double> numbers;
  if (!semantics)
    return numbers;
  if (part == "f64") {
    numbers.resize(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
  }
  if (part == "f32") {
    numbers.resize(bytes.size() / sizeof(float));
    for (size_t i = 0; i < numbers.size(); ++i) {
      float number;
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      numbers[i] = number;
    }
    return numbers;
  }
  const unsigned bits = llvm::APFloat::semanticsSizeInBits(*semantics);
  auto decode = [&](uint64_t code) {
    return exactly(llvm::APFloat(*semantics, llvm::APInt(bits, code)));
  };
  if (bits == 16) {
    const bool isBrain = part == "bf16";
    numbers.resize(bytes.size() / sizeof(uint16_t));
    for (size_t i = 0; i < numbers.size(); ++i) {
      uint16_t code;
      std::memcpy(&code, bytes.data() + i * sizeof code, sizeof code);
      numbers[i] = isBrain ? std::bit_cast<float>(uint32_t(code) << 16)
                           : double(std::bit_cast<_Float16>(code));
    }
    return numbers;
  }
  std::vector<double> table(size_t(1) << bits);
  for (size_t code = 0; code < table.size(); ++code)
    table[code] = decode(code);
  numbers.resize(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    numbers[i] = table[bytes[i] & (table.size() - 1)];
  return numbers;
}

} // namespace systole::numerics
