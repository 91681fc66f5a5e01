// Constants in the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "dialects/Machine/Program/AsmParser.h"

namespace systole::assembly {

// Hand-written data is small; a typing error must not exhaust memory.
static constexpr int64_t kMaxConstantBytes = int64_t(1) << 30;

// .constant REGION f32|i32 DATA, or .constant REGION hex ["...", ...]
bool Parser::parseConstant() {
  int64_t region;
  if (!parseRegion(region))
    return false;
  const int64_t maxBytes =
      std::min(kMaxConstantBytes, program.header.regions(int(region)).size() * isa::kRowBytes);
  program.header.add_constants()->set_region(int32_t(region));
  std::string &bytes = program.constants.emplace_back();
  return token.isWord("hex") ? parseHex(bytes, maxBytes) : parseData(bytes, maxBytes);
}

bool Parser::parseWord(bool isFloat, uint32_t &word) {
  Token value = token;
  if (auto it = defines.find(token.text); it != defines.end())
    value = it->second;
  if (isFloat && value.kind == Token::Kind::Float) {
    word = uint32_t(value.integer);
  } else if (isFloat && (value.isWord("inf") || value.isWord("nan"))) {
    word = value.text == "inf" ? 0x7f800000 : 0x7fc00000;
  } else if (value.kind == Token::Kind::Integer) {
    if (value.integer < INT32_MIN || value.integer > int64_t(UINT32_MAX))
      return failHere(absl::StrCat("`", value.text, "` needs more than 32 bits"));
    word = isFloat ? std::bit_cast<uint32_t>(float(value.integer)) : uint32_t(value.integer);
  } else {
    return unexpected(isFloat ? "a number" : "an integer");
  }
  return advance();
}

// [V, ...], splat V count N, or iota N [from A] [step B]; 32-bit words in the
// order of the lanes and rows of the region.
bool Parser::parseData(std::string &bytes, int64_t maxBytes) {
  const Position position = token.position;
  if (!token.isWord("f32") && !token.isWord("i32"))
    return unexpected("`f32`, `i32` or `hex`");
  const bool isFloat = token.isWord("f32");
  advance();
  auto append = [&](uint32_t word) {
    if (int64_t(bytes.size()) + 4 > maxBytes)
      return fail(position, absl::StrCat("more than the region's ", maxBytes, " bytes"));
    for (int i = 0; i < 4; ++i, word >>= 8)
      bytes.push_back(char(word));
    return true;
  };
  uint32_t word;
  int64_t count, from = 0, step = 1;
  if (acceptWord("splat")) {
    if (!parseWord(isFloat, word) || !expectWord("count") || !parseInteger(count))
      return false;
    for (int64_t i = 0; i < count; ++i)
      if (!append(word))
        return false;
    return true;
  }
  if (acceptWord("iota")) {
    if (!parseInteger(count) || (acceptWord("from") && !parseInteger(from, INT32_MIN, INT32_MAX)) ||
        (acceptWord("step") && !parseInteger(step, INT32_MIN, INT32_MAX)))
      return false;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = from + i * step;
      if (!append(isFloat ? std::bit_cast<uint32_t>(float(value)) : uint32_t(value)))
        return false;
    }
    return true;
  }
  if (!expect('['))
    return false;
  skipNewlines();
  while (!token.is(']')) {
    if (!parseWord(isFloat, word) || !append(word))
      return false;
    skipNewlines();
    if (!accept(',') && !token.is(']'))
      return unexpected("`,` or `]`");
    skipNewlines();
  }
  return advance();
}

bool Parser::parseHex(std::string &bytes, int64_t maxBytes) {
  advance();
  if (!expect('['))
    return false;
  skipNewlines();
  while (!token.is(']')) {
    std::string part;
    const Position position = token.position;
    if (!parseString(part))
      return false;
    if (part.size() % 2 != 0 || part.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fail(position, "expected pairs of digits 0 to 9 and a to f");
    bytes += absl::HexStringToBytes(part);
    if (int64_t(bytes.size()) > maxBytes)
      return fail(position, absl::StrCat("more than the region's ", maxBytes, " bytes"));
    skipNewlines();
    if (!accept(',') && !token.is(']'))
      return unexpected("`,` or `]`");
    skipNewlines();
  }
  return advance();
}

} // namespace systole::assembly
