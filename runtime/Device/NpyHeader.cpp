// The header of a .npy file: a Python dictionary literal with three entries.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <bit>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"
#include "runtime/Device/Npy.h"

namespace systole {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 20;
constexpr size_t kMaxRank = 64;

// Element types by NumPy's kind letter and size. Types that no program
// accepts are listed for diagnostics.
struct Kind {
  std::string_view code;
  std::string_view dtype;
};
constexpr std::array kKinds = {
    Kind{"f4", "f32"},  Kind{"V2", "bf16"},         Kind{"f2", "f16"},          Kind{"b1", "i1"},
    Kind{"i1", "i8"},   Kind{"u1", "ui8"},          Kind{"i2", "i16"},          Kind{"u2", "ui16"},
    Kind{"i4", "i32"},  Kind{"u4", "ui32"},         Kind{"f8", "f64"},          Kind{"i8", "i64"},
    Kind{"u8", "ui64"}, Kind{"c8", "complex<f32>"}, Kind{"c16", "complex<f64>"}};

// The literals that NumPy writes: strings, True and False, tuples of integers.
class DictionaryParser {
public:
  explicit DictionaryParser(std::string_view text) : text(text) {}

  absl::StatusOr<NpyHeader> parse() {
    NpyHeader header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return malformed("no dictionary");
    while (!take('}')) {
      std::optional<std::string_view> key = string();
      if (!key || !take(':'))
        return malformed("no key where one belongs");
      if (*key == "descr" && !hasDescr) {
        if (peek() == '[')
          return absl::InvalidArgumentError("its elements are records; only plain types are read");
        std::optional<std::string_view> descr = string();
        if (!descr)
          return malformed("'descr' is no string");
        header.descr = *descr;
        hasDescr = true;
      } else if (*key == "fortran_order" && !hasOrder) {
        std::optional<bool> order = boolean();
        if (!order)
          return malformed("'fortran_order' is neither True nor False");
        header.fortranOrder = *order;
        hasOrder = true;
      } else if (*key == "shape" && !hasShape) {
        if (!shape(header.dims))
          return malformed("'shape' is no tuple of integers");
        hasShape = true;
      } else {
        return malformed("a key that does not belong there");
      }
      if (!take(',') && peek() != '}')
        return malformed("no comma between entries");
    }
    if (peek() != '\0')
      return malformed("text after the dictionary");
    if (!hasDescr || !hasOrder || !hasShape)
      return malformed("'descr', 'fortran_order' or 'shape' is missing");
    return header;
  }

private:
  static absl::Status malformed(std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("its .npy header is malformed: ", std::string(why)));
  }

  char peek() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t'))
      text.remove_prefix(1);
    return text.empty() ? '\0' : text[0];
  }

  bool take(char wanted) {
    if (peek() != wanted || text.empty())
      return false;
    text.remove_prefix(1);
    return true;
  }

  std::optional<std::string_view> string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view result = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return result;
  }

  std::optional<bool> boolean() {
    peek();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (text.starts_with(word)) {
        text.remove_prefix(word.size());
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<int64_t> integer() {
    if (peek() < '0' || peek() > '9')
      return std::nullopt;
    int64_t value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text[0] - '0', &value))
        return std::nullopt;
      text.remove_prefix(1);
    }
    // Python 2 has a suffix for long integers.
    if (!text.empty() && text[0] == 'L')
      text.remove_prefix(1);
    return value;
  }

  bool shape(std::vector<int64_t> &dims) {
    if (!take('('))
      return false;
    while (!take(')')) {
      std::optional<int64_t> dim = integer();
      if (!dim || dims.size() == kMaxRank)
        return false;
      dims.push_back(*dim);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
};

absl::Status readExactly(ByteSource &source, uint8_t *to, size_t count) {
  while (count > 0) {
    absl::StatusOr<size_t> got = source.read(to, count);
    if (!got.ok())
      return got.status();
    if (*got == 0)
      return absl::InvalidArgumentError("it ends within its .npy header");
    to += *got;
    count -= *got;
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<NpyHeader> readNpyHeader(ByteSource &source) {
  uint8_t prefix[12];
  if (absl::Status status = readExactly(source, prefix, 8); !status.ok())
    return status;
  if (std::string_view(reinterpret_cast<char *>(prefix), kMagic.size()) != kMagic)
    return absl::InvalidArgumentError("it is no .npy file");
  int version = prefix[6];
  if (version < 1 || version > 3)
    return absl::InvalidArgumentError(
        absl::StrCat("its .npy version is ", version, "; versions 1 to 3 are read"));
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (absl::Status status = readExactly(source, prefix + 8, lengthBytes); !status.ok())
    return status;
  size_t length = 0;
  for (size_t byte = 0; byte < lengthBytes; ++byte)
    length |= size_t(prefix[8 + byte]) << (8 * byte);
  if (length > kMaxHeader)
    return absl::InvalidArgumentError(
        absl::StrCat("its .npy header claims ", length, " bytes, more than any array needs"));
  std::vector<uint8_t> text(length);
  if (absl::Status status = readExactly(source, text.data(), length); !status.ok())
    return status;
  return DictionaryParser({reinterpret_cast<char *>(text.data()), length}).parse();
}

bool descrHolds(std::string_view descr, std::string_view dtype) {
  if (descr.empty())
    return false;
  std::string_view code = descr.substr(1);
  // '|' is for types without byte order, but some writers use a byte order for them.
  bool single = code.ends_with('1') || code.starts_with('V');
  if (descr[0] != '<' && !(single && (descr[0] == '|' || descr[0] == '>')))
    return false;
  for (const Kind &kind : kKinds)
    if (kind.dtype == dtype)
      return kind.code == code;
  // NumPy has no name for other types of a byte; ml_dtypes calls one of them a float.
  return elementBits(dtype) == 8 && (code == "V1" || (code == "f1" && dtype == "f8E5M2"));
}

std::string describeDescr(std::string_view descr) {
  for (const Kind &kind : kKinds)
    if (descrHolds(descr, kind.dtype))
      return std::string(kind.dtype);
  if (descr.starts_with('>'))
    return absl::StrCat("big-endian '", absl::CHexEscape(std::string(descr)), "'");
  return absl::StrCat("'", absl::CHexEscape(std::string(descr)), "'");
}

std::string npyHeader(const HostArray &array) {
  std::string descr = "|V1";
  for (const Kind &kind : kKinds)
    if (kind.dtype == array.dtype) {
      bool ordered = !kind.code.ends_with('1') && !kind.code.starts_with('V');
      descr = (ordered ? "<" : "|") + std::string(kind.code);
    }
  std::string text =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                   absl::StrJoin(array.dims, ", "), array.dims.size() == 1 ? "," : "", "), }");
  // As in NumPy: room for the first dimension to grow in place to 21 digits; magic,
  // version, length and text take a multiple of 64 bytes and end in a line break.
  if (!array.dims.empty())
    text.append(21 - absl::StrCat(array.dims[0]).size(), ' ');
  size_t taken = kMagic.size() + 4;
  text.append((64 - (taken + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace systole
