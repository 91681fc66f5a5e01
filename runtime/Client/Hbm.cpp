// Allocation of arrays, counted against the device's capacity.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Hbm.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Strides.h"

namespace systole {

static constexpr std::align_val_t kAlignment{64};

void DeviceArray::Free::operator()(uint8_t *bytes) const { ::operator delete(bytes, kAlignment); }

DeviceArray::~DeviceArray() {
  std::lock_guard lock(hbm->mutex);
  assert((!bytes || hbm->use.inUse >= size()) && "the array was counted as in use");
  hbm->use.inUse -= bytes ? size() : 0;
}

// More padding than this is not a large part of an array.
static constexpr int64_t kSmallBytes = 64 << 10;

int64_t DeviceArray::hostSize() const {
  return size() <= kSmallBytes ? arrayType->usedBytes() : size();
}

void DeviceArray::fill(const uint8_t *host) {
  if (hostSize() == size())
    return arrayType->toDevice(host, bytes.get());
  std::vector<uint8_t> whole(static_cast<size_t>(size()));
  arrayType->toDevice(host, whole.data());
  copyFrom(whole.data());
}

void DeviceArray::fetchAll(uint8_t *host) const {
  if (hostSize() == size())
    return arrayType->fromDevice(bytes.get(), host);
  std::vector<uint8_t> whole(static_cast<size_t>(size()));
  copyTo(whole.data());
  arrayType->fromDevice(whole.data(), host);
}

void DeviceArray::fetch(uint8_t *host) const {
  if (actual.empty())
    return fetchAll(host);
  std::vector<uint8_t> whole(static_cast<size_t>(arrayType->hostBytes()));
  fetchAll(whole.data());
  const int64_t bytes = elementBytes(arrayType->dtype());
  copyStrided(actual, bytes, whole.data(), denseStrides(arrayType->dims(), bytes), host,
              denseStrides(actual, bytes));
}

void DeviceArray::copyTo(uint8_t *region, int plane, int planes) const {
  assert(plane >= 0 && plane < planes && hostSize() % planes == 0 && "planes of equal size");
  const auto used = static_cast<size_t>(hostSize() / planes);
  std::memcpy(region, bytes.get() + static_cast<size_t>(plane) * used, used);
  std::memset(region + used, 0, static_cast<size_t>(size() / planes) - used);
}

void DeviceArray::copyFrom(const uint8_t *region, int plane, int planes) {
  assert(plane >= 0 && plane < planes && hostSize() % planes == 0 && "planes of equal size");
  const auto used = static_cast<size_t>(hostSize() / planes);
  std::memcpy(bytes.get() + static_cast<size_t>(plane) * used, region, used);
}

void DeviceArray::copyFrom(const DeviceArray &other) {
  assert(*arrayType == *other.arrayType && "arrays of one type");
  std::memcpy(bytes.get(), other.bytes.get(), static_cast<size_t>(hostSize()));
  actual = other.actual;
}

absl::Status Hbm::outOfMemory(int64_t bytes, const char *what) const {
  return absl::ResourceExhaustedError(absl::StrCat("out of HBM: ", what, " takes ", bytes,
                                                   " bytes, and of ", use.limit, " bytes ",
                                                   use.inUse, " are in use"));
}

absl::StatusOr<std::shared_ptr<DeviceArray>> Hbm::allocate(std::shared_ptr<const ArrayType> type) {
  const int64_t size = type->deviceBytes();
  assert(size >= type->usedBytes() && "the elements are a part of the array");
  std::shared_ptr<DeviceArray> array(new DeviceArray(shared_from_this(), std::move(type)));
  {
    std::lock_guard lock(mutex);
    if (size > use.limit - use.inUse)
      return outOfMemory(size, array->type()->toString().c_str());
    use.inUse += size; // visible to other threads at once
  }
  array->bytes.reset(static_cast<uint8_t *>(
      ::operator new(size_t(std::max<int64_t>(array->hostSize(), 1)), kAlignment, std::nothrow)));
  std::lock_guard lock(mutex);
  if (!array->bytes) {
    use.inUse -= size;
    return absl::ResourceExhaustedError(
        absl::StrCat("this host has no ", size, " bytes for ", array->type()->toString()));
  }
  use.peak = std::max(use.peak, use.inUse);
  use.largest = std::max(use.largest, size);
  ++use.allocations;
  return array;
}

absl::Status Hbm::checkRoom(int64_t bytes, const char *what) const {
  std::lock_guard lock(mutex);
  return bytes > use.limit - use.inUse ? outOfMemory(bytes, what) : absl::OkStatus();
}

HbmUse Hbm::usage() const {
  std::lock_guard lock(mutex);
  return use;
}

} // namespace systole
