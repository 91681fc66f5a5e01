// Arrays as readable text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/PrintArray.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "dialects/Layout/ElementTypes.h"
#include "runtime/Device/Floats.h"

namespace systole {
namespace {

constexpr int64_t kSummarizeAbove = 1000;
constexpr int64_t kEdge = 3;
constexpr int64_t kWidestLine = 100;

template <typename T> T element(const HostArray &array, int64_t index) {
  T value;
  std::memcpy(&value, array.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// The shortest decimal that parses back to the same value, or four digits, which suffice for 16-bit
// values.
template <typename T> std::string number(T value, bool narrow) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  char *end =
      narrow ? std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 4).ptr
             : std::to_chars(text, text + sizeof(text), value).ptr;
  std::string result(text, end);
  if (result.find_first_of(".e") == std::string::npos)
    result += '.';
  return result;
}

template <typename Part> std::string complexNumber(const HostArray &array, int64_t index) {
  const std::string im = number(element<Part>(array, 2 * index + 1), false);
  return number(element<Part>(array, 2 * index), false) + (im.front() == '-' ? "" : "+") + im + "j";
}

std::string formatElement(const HostArray &array, int64_t index) {
  const std::string &dtype = array.dtype;
  if (dtype == "f32")
    return number(element<float>(array, index), false);
  if (dtype == "f64")
    return number(element<double>(array, index), false);
  if (dtype == "complex<f32>")
    return complexNumber<float>(array, index);
  if (dtype == "complex<f64>")
    return complexNumber<double>(array, index);
  // Of at most 16 bits.
  if (floatFacts(dtype)) {
    const size_t bytes = size_t(*elementBits(dtype)) / 8;
    return number(
        float(
            toDoubles(dtype, std::span(array.bytes).subspan(size_t(index) * bytes, bytes)).front()),
        true);
  }
  if (dtype == "i1")
    return array.bytes[index] ? "True" : "False";
  if (dtype == "i2" || dtype == "i4") {
    const int unused = 8 - valueBits(dtype);
    return std::to_string(int8_t(array.bytes[index] << unused) >> unused);
  }
  if (dtype == "ui2" || dtype == "ui4")
    return std::to_string(array.bytes[index]);
  if (dtype == "i8")
    return std::to_string(element<int8_t>(array, index));
  if (dtype == "ui8")
    return std::to_string(element<uint8_t>(array, index));
  if (dtype == "i16")
    return std::to_string(element<int16_t>(array, index));
  if (dtype == "ui16")
    return std::to_string(element<uint16_t>(array, index));
  if (dtype == "i32")
    return std::to_string(element<int32_t>(array, index));
  if (dtype == "i64")
    return std::to_string(element<int64_t>(array, index));
  if (dtype == "ui64")
    return std::to_string(element<uint64_t>(array, index));
  return std::to_string(element<uint32_t>(array, index));
}

class Printer {
public:
  explicit Printer(const HostArray &array)
      : array(array), summarize(*elementCount(array.dims) > kSummarizeAbove) {}

  std::string print() {
    // The first visit measures the widest element, the second one writes the text.
    visit(0, 0);
    measuring = false;
    visit(0, 0);
    return std::move(text);
  }

private:
  void visit(size_t dim, int64_t offset) {
    if (dim == array.dims.size())
      return leaf(offset);
    const bool innermost = dim + 1 == array.dims.size();
    const int64_t extent = array.dims[dim];
    int64_t stride = 1;
    for (size_t inner = dim + 1; inner < array.dims.size(); ++inner)
      stride *= array.dims[inner];
    add("[");
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0)
        separate(dim, innermost);
      const bool wide = innermost && !measuring && extent * int64_t(width + 1) > kWidestLine;
      if ((summarize || wide) && extent > 2 * kEdge && i == kEdge) {
        add("...");
        i = extent - kEdge - 1;
        continue;
      }
      visit(dim + 1, offset + i * stride);
    }
    add("]");
  }

  void separate(size_t dim, bool innermost) {
    if (innermost)
      return add(" ");
    // As many line breaks as brackets close, at least one.
    add(std::string(array.dims.size() - dim - 1, '\n'));
    add(std::string(dim + 1, ' '));
  }

  void leaf(int64_t offset) {
    std::string value = formatElement(array, offset);
    if (measuring)
      width = std::max(width, value.size());
    else
      text += std::string(width - value.size(), ' ') + value;
  }

  void add(const std::string &piece) {
    if (!measuring)
      text += piece;
  }

  const HostArray &array;
  const bool summarize;
  bool measuring = true;
  size_t width = 0;
  std::string text;
};

} // namespace

std::string formatArray(const HostArray &array) {
  return elementCount(array.dims) == 0 ? "[]" : Printer(array).print();
}

} // namespace systole
