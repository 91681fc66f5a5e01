// Buffers: element types, strides, ends.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "systole/buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kDims[] = {2, 3};

// The bits of a byte that hold a value: 0xff for all types of 8 bits or more.
int maskOf(std::string_view type) {
  if (type == "i1")
    return 0x01;
  if (type == "i2" || type == "ui2")
    return 0x03;
  if (type == "i4" || type == "ui4" || type.starts_with("f4"))
    return 0x0f;
  return type.starts_with("f6") ? 0x3f : 0xff;
}

TEST(Buffer, HoldsEveryElementTypeThatHasASizeAndRefusesTheOthers) {
  const Device device = *Device::create();
  for (int value = 1; value <= int(ElementType::Token); ++value) {
    const auto type = ElementType(value);
    std::vector<uint8_t> bytes(size_t(6 * elementBytes(type))), back(bytes.size(), 0xee);
    // Truth values are 0 or 1, and other elements of less than 8 bits are the lowest ones of a
    // byte.
    const int mask = maskOf(elementTypeName(type));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t((3 * i + 1) & mask);
    absl::StatusOr<Buffer> buffer = Buffer::fromHost(device, bytes.data(), type, kDims);
    if (bytes.empty()) {
      EXPECT_EQ(buffer.status().code(), absl::StatusCode::kUnimplemented) << elementTypeName(type);
      EXPECT_THAT(std::string(buffer.status().message()),
                  HasSubstr(std::string(elementTypeName(type))));
      continue;
    }
    ASSERT_TRUE(buffer.ok()) << elementTypeName(type) << ": " << buffer.status();
    EXPECT_EQ(buffer->type().elementType, type);
    EXPECT_THAT(buffer->type().dims, ElementsAre(2, 3));
    ASSERT_TRUE(buffer->toHost(back.data(), back.size()).ok());
    EXPECT_EQ(back, bytes) << elementTypeName(type);
  }
}

TEST(Buffer, StridesOnTheHost) {
  const Device device = *Device::create();
  std::array<float, 6> values;
  std::iota(values.begin(), values.end(), 0.0f);
  // Columns of a row-major [3,2], backwards.
  const int64_t strides[] = {4, -8};
  const Buffer buffer = *Buffer::fromHost(device, &values[4], ElementType::F32, kDims, strides);
  std::array<float, 6> dense;
  ASSERT_TRUE(buffer.toHost(dense.data(), sizeof(dense)).ok());
  EXPECT_THAT(dense, ElementsAre(4, 2, 0, 5, 3, 1));

  std::array<float, 6> same{};
  ASSERT_TRUE(buffer.toHost(&same[4], 0, strides).ok());
  EXPECT_EQ(same, values);
}

TEST(Buffer, ErrorsNameWhatIsWrong) {
  const Device device = *Device::create();
  const float values[6] = {};
  const int64_t negative[] = {-1}, stride[] = {4};
  EXPECT_EQ(Buffer::fromHost(device, values, ElementType::F32, negative).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Buffer::fromHost(device, nullptr, ElementType::F32, kDims).status().message(),
            "the host's array is null");
  EXPECT_EQ(Buffer::fromHost(device, values, ElementType::F32, kDims, stride).status().message(),
            "there are 1 strides for 2 dimensions");
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  const auto unknown = ElementType(99);
  EXPECT_EQ(Buffer::fromHost(device, values, unknown, kDims).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Buffer::fromHost(Device(), values, ElementType::F32, kDims).status().message(),
            "the device is empty");
  float small[5];
  EXPECT_EQ(Buffer::fromHost(device, values, ElementType::F32, kDims)
                ->toHost(small, sizeof(small))
                .message(),
            "the host's array has 20 bytes, but tensor<2x3xf32> takes 24");
}

TEST(Buffer, ReleaseGivesMemoryBack) {
  const Device device = *Device::create();
  const float values[6] = {};
  const Buffer buffer = *Buffer::fromHost(device, values, ElementType::F32, kDims);
  EXPECT_EQ(device.memory().inUse, buffer.deviceBytes());
  Buffer(buffer).release();
  EXPECT_TRUE(buffer.isReleased());
  EXPECT_EQ(device.memory().inUse, 0);
  float back[6];
  EXPECT_EQ(buffer.toHost(back, sizeof(back)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(buffer.ready().await().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Buffer, OutlivesItsDeviceHandle) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  const Buffer buffer = *Buffer::fromHost(*Device::create(), values, ElementType::F32, kDims);
  std::array<float, 6> back;
  ASSERT_TRUE(buffer.toHost(back.data(), sizeof(back)).ok());
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 4, 5, 6));
}

} // namespace
} // namespace systole
