// Reading numbers and ranges of untrusted bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Bytes.h"

#include <gtest/gtest.h>

namespace systole::artifact {
namespace {

using namespace std::string_literals;

std::optional<uint64_t> varInt(const std::string &file) {
  Refusal refusal;
  Bytes bytes(file, refusal);
  uint64_t value;
  if (failed(bytes.readVarInt(value)) || !bytes.empty())
    return std::nullopt;
  return value;
}

// The low bits of the first byte count the bytes after it: n zeros, a one, and 7 (n + 1) bits.
TEST(Bytes, NumbersOfEveryLength) {
  EXPECT_EQ(varInt("\x01"s), 0u);
  EXPECT_EQ(varInt("\xff"s), 127u);
  EXPECT_EQ(varInt("\x02\x02"s), 128u);
  EXPECT_EQ(varInt("\xfe\xff"s), (1u << 14) - 1);
  EXPECT_EQ(varInt("\x04\x00\x02"s), 1u << 14);
  for (unsigned more = 0; more < 8; ++more) {
    std::string largest(more + 1, '\xff');
    largest[0] = static_cast<char>(0xff << more);
    EXPECT_EQ(varInt(largest), (uint64_t(1) << (7 * (more + 1))) - 1) << more;
    EXPECT_EQ(varInt(largest.substr(0, more)), std::nullopt) << more;
  }
  EXPECT_EQ(varInt("\0\1\2\3\4\5\6\7\x88"s), 0x8807060504030201u);
  EXPECT_EQ(varInt("\0\1\2\3\4\5\6\7"s), std::nullopt);
  EXPECT_EQ(varInt(""), std::nullopt);
}

TEST(Bytes, SignIsTheLowestBit) {
  for (auto [byte, expected] : {std::pair(0, 0), {1, -1}, {2, 1}, {3, -2}, {127, -64}}) {
    std::string file(1, static_cast<char>(byte << 1 | 1));
    Refusal refusal;
    Bytes bytes(file, refusal);
    int64_t value;
    ASSERT_TRUE(succeeded(bytes.readSignedVarInt(value)));
    EXPECT_EQ(value, expected);
  }
}

TEST(Bytes, CountsAreNoMoreThanTheBytesThatAreLeft) {
  std::string file = "\x07"
                     "abc"s; // 3, and 3 bytes
  Refusal refusal;
  Bytes bytes(file, refusal);
  uint64_t count;
  EXPECT_TRUE(succeeded(bytes.readCount(count, "things")));
  file = "\x09"
         "abc"s;
  Bytes tooMany(file, refusal);
  EXPECT_TRUE(failed(tooMany.readCount(count, "things")));
  EXPECT_EQ(refusal.reason(), "byte 1: 4 things in the 3 bytes that are left");
}

TEST(Bytes, TheFirstReasonCounts) {
  std::string file = "\x09"
                     "abc"s;
  Refusal refusal;
  Bytes bytes(file, refusal), piece = bytes;
  uint64_t index;
  EXPECT_TRUE(failed(bytes.readIndex(index, 4, "thing")));
  EXPECT_TRUE(failed(bytes.take(100, piece)));
  EXPECT_EQ(refusal.reason(), "byte 0: thing 4 of 4");
}

TEST(Bytes, PaddingGoesToAMultipleFromTheStart) {
  std::string file = "ab\xcb\xcb"
                     "c"s;
  Refusal refusal;
  Bytes bytes(file, refusal), piece = bytes;
  ASSERT_TRUE(succeeded(bytes.take(2, piece)));
  ASSERT_TRUE(succeeded(bytes.align(4)));
  EXPECT_EQ(bytes.offset(), 4u);
  EXPECT_TRUE(failed(bytes.align(8))); // 'c' is not padding
  EXPECT_TRUE(failed(bytes.align(3)));
}

} // namespace
} // namespace systole::artifact
