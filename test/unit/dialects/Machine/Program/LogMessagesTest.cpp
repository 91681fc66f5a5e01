// Texts of log messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/LogMessages.h"

#include <bit>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

using namespace systole;

namespace {

program::LogMessage messageOf(bool typed, const std::string &dtype,
                              const std::vector<int64_t> &dims) {
  program::LogMessage message;
  message.add_texts("x: ");
  message.add_texts(".");
  message.mutable_values()->Add()->set_dtype(dtype);
  message.mutable_values(0)->mutable_dims()->Add(dims.begin(), dims.end());
  message.set_typed(typed);
  return message;
}

TEST(LogMessages, Scalars) {
  auto text = [](const std::string &dtype, uint32_t word, bool typed = false) {
    return renderLog(messageOf(typed, dtype, {}), std::vector{word});
  };
  auto number = [&](float x, bool typed = false) {
    return text("f32", std::bit_cast<uint32_t>(x), typed);
  };
  EXPECT_EQ(text("i32", ~0u), "x: -1.");
  EXPECT_EQ(text("ui32", ~0u), "x: 4294967295.");
  EXPECT_EQ(text("i8", ~0u, true), "x: s8[] -1.");
  EXPECT_EQ(text("i1", 1, true), "x: pred[] 1.");
  EXPECT_EQ(text("bf16", 0x40490000, true), "x: bf16[] 3.140625.");
  EXPECT_EQ(number(42, true), "x: f32[] 42.");
  EXPECT_EQ(number(0.1f), "x: 0.1.");
  EXPECT_EQ(number(-0.0f), "x: -0.");
  EXPECT_EQ(number(std::numeric_limits<float>::denorm_min()), "x: 1e-45.");
  EXPECT_EQ(number(std::numeric_limits<float>::infinity()), "x: inf.");
  EXPECT_EQ(number(std::numeric_limits<float>::quiet_NaN()), "x: nan.");
}

TEST(LogMessages, Arrays) {
  auto text = [](const std::vector<int64_t> &dims) {
    const program::LogMessage message = messageOf(true, "i32", dims);
    std::vector<uint32_t> words(size_t(wordsOf(message)));
    for (size_t i = 0; i < words.size(); ++i)
      words[i] = uint32_t(i);
    return renderLog(message, words);
  };
  EXPECT_EQ(text({3}), "x: s32[3] {0, 1, 2}.");
  EXPECT_EQ(text({2, 2}), "x: s32[2,2] {\n  {0, 1},\n  {2, 3}\n}.");
  EXPECT_EQ(text({1, 2, 1}), "x: s32[1,2,1] {\n  {\n    {0},\n    {1}\n  }\n}.");
  // A word that does not count.
  EXPECT_EQ(text({0}), "x: s32[0] {}.");
  EXPECT_EQ(text({2, 0}), "x: s32[2,0] {}.");
}

TEST(LogMessages, Several) {
  program::LogMessage message = messageOf(false, "i32", {});
  message.add_texts(" and ");
  *message.add_values() = message.values(0);
  message.mutable_texts()->SwapElements(1, 2);
  EXPECT_EQ(wordsOf(message), 2);
  EXPECT_EQ(renderLog(message, std::vector{1u, 2u}), "x: 1 and 2.");
}

TEST(LogMessages, Refused) {
  auto refusal = [](const program::LogMessage &message) {
    return std::string(checkLogMessage(message).message());
  };
  EXPECT_EQ(refusal(messageOf(false, "i32", {4, 4})), "");
  EXPECT_EQ(refusal(messageOf(false, "f64", {})),
            "has a value of type 'f64', which is unsupported");
  EXPECT_EQ(refusal(messageOf(false, "", {})), "has a value of type '', which is unsupported");
  for (const std::vector<int64_t> &dims :
       {std::vector<int64_t>{-1}, {1 << 20, 1 << 20}, {int64_t(1) << 62, 4}})
    EXPECT_EQ(refusal(messageOf(false, "i32", dims)),
              "has more than 16777216 elements, or a negative dimension");
  EXPECT_EQ(refusal(messageOf(false, "i32", std::vector<int64_t>(65, 1))),
            "has a value of 65 dimensions; up to 64 are supported");
  program::LogMessage message = messageOf(false, "i32", {});
  message.mutable_texts()->RemoveLast();
  EXPECT_EQ(refusal(message), "has 1 values and 1 texts");
}

} // namespace
