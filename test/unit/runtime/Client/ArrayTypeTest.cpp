// Types of arrays that clients hold.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayType.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::shared_ptr<const ArrayType> type(std::string_view dtype, std::vector<int64_t> dims) {
  auto result = ArrayType::create(dtype, dims);
  return result.ok() ? *result : nullptr;
}

TEST(ArrayType, LiesAsProgramsExpectIt) {
  auto array = type("bf16", {3, 130});
  EXPECT_EQ(array->toString(), "tensor<3x130xbf16>");
  EXPECT_EQ(array->hostBytes(), 3 * 130 * 2);
  EXPECT_EQ(array->deviceBytes(), 8 * 128 * 2); // six rows of 128, in whole groups of eight
  EXPECT_THAT(array->minorToMajor(), ElementsAre(1, 0));
  // Few columns would leave most lanes empty.
  EXPECT_THAT(type("f32", {1000, 3})->minorToMajor(), ElementsAre(0, 1));
}

TEST(ArrayType, HasAScalar) {
  EXPECT_EQ(type("f32", {})->hostBytes(), 4);
  EXPECT_EQ(type("f32", {})->deviceBytes(), 8 * 512);
}

TEST(ArrayType, HasPlanesOfWords) {
  auto array = type("i64", {3});
  EXPECT_EQ(array->hostBytes(), 3 * 8);
  EXPECT_EQ(array->deviceBytes(), 2 * 8 * 512);
  const int64_t host[] = {5, -2, (int64_t(3) << 32) + 4};
  std::vector<uint32_t> device(2 * 8 * 128);
  array->toDevice(reinterpret_cast<const uint8_t *>(host),
                  reinterpret_cast<uint8_t *>(device.data()));
  EXPECT_THAT(std::vector(device.begin(), device.begin() + 4), ElementsAre(5, uint32_t(-2), 4, 0));
  EXPECT_THAT(std::vector(device.begin() + 1024, device.begin() + 1028),
              ElementsAre(0, uint32_t(-1), 3, 0));
}

TEST(ArrayType, HasPlanesOfParts) {
  auto array = type("complex<f32>", {3});
  EXPECT_EQ(array->hostBytes(), 3 * 8);
  EXPECT_EQ(array->deviceBytes(), 2 * 8 * 512);
  const float host[] = {1, -2, 3, -4, 5, -6};
  std::vector<float> device(2 * 8 * 128);
  array->toDevice(reinterpret_cast<const uint8_t *>(host),
                  reinterpret_cast<uint8_t *>(device.data()));
  EXPECT_THAT(std::vector(device.begin(), device.begin() + 4), ElementsAre(1, 3, 5, 0));
  EXPECT_THAT(std::vector(device.begin() + 1024, device.begin() + 1028),
              ElementsAre(-2, -4, -6, 0));
}

TEST(ArrayType, FillsBytesInPart) {
  const uint8_t host[] = {0xf7, 0x18, 0x0f};
  for (const auto &[dtype, bytes] : {std::pair("i4", std::vector<uint8_t>{0x07, 0xf8, 0xff}),
                                     {"ui4", {0x07, 0x08, 0x0f}},
                                     {"f6E3M2FN", {0x37, 0x18, 0x0f}}}) {
    auto array = type(dtype, {3});
    EXPECT_EQ(array->hostBytes(), 3);
    std::vector<uint8_t> device(8 * 128), back(3);
    array->toDevice(host, device.data());
    EXPECT_THAT((std::vector{device[0], device[4], device[8]}), ElementsAreArray(bytes));
    array->fromDevice(device.data(), back.data());
    const int mask = dtype[0] == 'f' ? 0x3f : 0x0f;
    EXPECT_THAT(back, ElementsAre(host[0] & mask, host[1] & mask, host[2] & mask));
  }
}

TEST(ArrayType, HasPlanesOfWordsOfParts) {
  auto array = type("complex<f64>", {2});
  EXPECT_EQ(array->hostBytes(), 2 * 16);
  EXPECT_EQ(array->deviceBytes(), 4 * 8 * 512);
  // Those of 1, -2.5, 3 and 2^-1074.
  const uint64_t host[] = {0x3ff0000000000000, 0xc004000000000000, 0x4008000000000000, 1};
  std::vector<uint32_t> device(4 * 8 * 128);
  array->toDevice(reinterpret_cast<const uint8_t *>(host),
                  reinterpret_cast<uint8_t *>(device.data()));
  auto plane = [&](int number) {
    return std::vector(device.begin() + number * 1024, device.begin() + number * 1024 + 3);
  };
  EXPECT_THAT(plane(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(plane(1), ElementsAre(0x3ff00000, 0x40080000, 0));
  EXPECT_THAT(plane(2), ElementsAre(0, 1, 0));
  EXPECT_THAT(plane(3), ElementsAre(0xc0040000, 0, 0));
  uint64_t back[4];
  array->fromDevice(reinterpret_cast<const uint8_t *>(device.data()),
                    reinterpret_cast<uint8_t *>(back));
  EXPECT_THAT(back, ElementsAreArray(host));
}

TEST(ArrayType, RejectsInvalidTypes) {
  const int64_t negative[] = {2, -1}, huge[] = {1 << 30, 1 << 30};
  EXPECT_EQ(ArrayType::create("f32", negative).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ArrayType::create("f32", huge).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ArrayType::create("i3", {}).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ArrayType::create("token", {}).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ArrayType::create("", {}).status().code(), absl::StatusCode::kUnimplemented);
}

} // namespace
} // namespace systole
