// Floating-point numbers of all types as doubles, and facts of these types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Floats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "dialects/Layout/ElementTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

namespace systole {

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
  // One without a payload would become an infinity.
  if (number.isNaN())
    return std::numeric_limits<double>::quiet_NaN();
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
  const size_t codes = size_t(1) << bits;
  numbers.resize(bytes.size());
  if (bytes.size() < codes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      numbers[i] = decode(bytes[i] & (codes - 1));
    return numbers;
  }
  std::vector<double> table(codes);
  for (size_t code = 0; code < codes; ++code)
    table[code] = decode(code);
  for (size_t i = 0; i < bytes.size(); ++i)
    numbers[i] = table[bytes[i] & (codes - 1)];
  return numbers;
}

template <typename T> static std::vector<double> integersOf(const HostArray &array) {
  std::vector<double> numbers(array.bytes.size() / sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    T number;
    std::memcpy(&number, array.bytes.data() + i * sizeof number, sizeof number);
    numbers[i] = double(number);
  }
  return numbers;
}

std::vector<double> numbersOf(const HostArray &array) {
  const std::string &dtype = array.dtype;
  if (floatFacts(dtype))
    return toDoubles(dtype, array.bytes);
  if (dtype == "i2" || dtype == "i4") {
    std::vector<double> numbers = integersOf<uint8_t>(array);
    const int unused = 8 - valueBits(dtype);
    for (double &number : numbers)
      number = int8_t(uint8_t(number) << unused) >> unused;
    return numbers;
  }
  const bool isSigned = dtype.starts_with('i') && dtype != "i1";
  switch (elementBits(dtype).value_or(64)) {
  case 8:
    return isSigned ? integersOf<int8_t>(array) : integersOf<uint8_t>(array);
  case 16:
    return isSigned ? integersOf<int16_t>(array) : integersOf<uint16_t>(array);
  case 32:
    return isSigned ? integersOf<int32_t>(array) : integersOf<uint32_t>(array);
  default:
    return isSigned ? integersOf<int64_t>(array) : integersOf<uint64_t>(array);
  }
}

} // namespace systole
