// Slices of arrays, and the words of tensors and elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Operand.h"

#include <cstring>

#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::debugger;
using namespace systole::test;

namespace {

// [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]
HostArray table() {
  HostArray array{"i32", {3, 4}, std::vector<uint8_t>(48)};
  for (int32_t i = 0; i < 12; ++i) {
    const int32_t value = i / 4 * 10 + i % 4;
    std::memcpy(array.bytes.data() + 4 * i, &value, 4);
  }
  return array;
}

std::vector<int32_t> valuesOf(const HostArray &array) {
  std::vector<int32_t> values(array.bytes.size() / 4);
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST(Operand, SlicesAreThoseOfNumPy) {
  const struct {
    const char *text;
    std::vector<int64_t> dims;
    std::vector<int32_t> values;
  } cases[] = {{"[1]", {4}, {10, 11, 12, 13}},
               {"[-1, 2]", {}, {22}},
               {"[:, 1]", {3}, {1, 11, 21}},
               {"[::2, 1:3]", {2, 2}, {1, 2, 21, 22}},
               {"[2, ::-1]", {4}, {23, 22, 21, 20}},
               {"[0, 3:0:-2]", {2}, {3, 1}},
               {"[0, -2:]", {2}, {2, 3}},
               {"[0, :100]", {4}, {0, 1, 2, 3}},
               {"[0, 3:1]", {0}, {}},
               {"[5:]", {0, 4}, {}},
               {"[1:2, :]", {1, 4}, {10, 11, 12, 13}}};
  for (const auto &one : cases) {
    absl::StatusOr<HostArray> found = sliced(table(), one.text);
    ASSERT_TRUE(found.ok()) << one.text << found.status();
    EXPECT_EQ(found->dims, one.dims) << one.text;
    EXPECT_EQ(valuesOf(*found), one.values) << one.text;
  }
  for (const char *text :
       {"[3]", "[-4]", "[0, 0, 0]", "[a]", "[::0]", "[1", "1]", "[1:2:3:4]", "[,]"})
    EXPECT_FALSE(sliced(table(), text).ok()) << text;
}

TEST(Operand, ElementsOfSlicesAreThoseOfTheArray) {
  const std::vector<int64_t> dims = {4, 8};
  for (const auto &[text, index, expected] : {std::tuple("", 3, "[3]"),
                                              {"[1]", 3, "[1, 3]"},
                                              {"[2:4]", 1, "[3]"},
                                              {"[:, 5]", 2, "[2, 5]"},
                                              {"[1, 2:5]", 0, "[1, 2]"},
                                              {"[::-1, 1:3]", 0, "[3, 1:3]"}})
    EXPECT_EQ(*elementOf(dims, text, index), expected) << text;
  for (const auto &[text, index] : {std::pair("[1, 2]", 0), {"", 4}, {"[2:4]", 2}, {"[9]", 0}})
    EXPECT_FALSE(elementOf(dims, text, index).ok()) << text;
}

TEST(Operand, NamesHaveWords) {
  // Row 2, column 130 of 3 x 200 elements is in the second lane of the sixth row of 128.
  TextProgram program(R"(
.program names
.region pad hbm 4
.region x hbm 8
.region y hbm 8
.argument w f32[3, 200] in x
.result z i8[8, 128] in y
routine main {
  halt
}
)");
  const Program &whole = program.emulator->program();
  auto words = wordsOf(whole, "arg0[2, 130]");
  ASSERT_TRUE(words.ok()) << words.status();
  ASSERT_EQ(words->size(), 1u);
  EXPECT_EQ(words->front().space, program::HBM);
  EXPECT_EQ(words->front().first, (4 + 5) * 128 + 2);
  EXPECT_EQ(words->front().count, 1);
  // Four rows of bytes share a row of 512 bytes.
  words = wordsOf(whole, "out0[4:8]");
  ASSERT_TRUE(words.ok()) << words.status();
  ASSERT_EQ(words->size(), 1u);
  EXPECT_EQ(words->front().first, (4 + 8 + 1) * 128);
  EXPECT_EQ(words->front().count, 128);
  words = wordsOf(whole, "smem:3+2");
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_EQ(words->front().space, program::SMEM);
  for (const char *text : {"arg1", "arg0 x", "vmem:", "vmem:-1", "hbm:1+0", "tile:3", ""})
    EXPECT_FALSE(wordsOf(whole, text).ok()) << text;
}

} // namespace
