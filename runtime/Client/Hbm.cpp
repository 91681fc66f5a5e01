// Allocation of arrays, counted against the device's capacity.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Hbm.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Strides.h"

namespace systole {

DeviceArray::~DeviceArray() {
  std::lock_guard lock(hbm->mutex);
  assert((rows.count() == 0 || hbm->use.inUse >= size()) && "the array was counted as in use");
  hbm->use.inUse -= rows.count() > 0 ? size() : 0;
}

void DeviceArray::fill(const uint8_t *host) { arrayType->toDevice(host, mutableBytes().data()); }

void DeviceArray::fetch(uint8_t *host) const {
  if (actual.empty())
    return arrayType->fromDevice(bytes().data(), host);
  std::vector<uint8_t> whole(static_cast<size_t>(arrayType->hostBytes()));
  arrayType->fromDevice(bytes().data(), whole.data());
  const int64_t bytes = elementBytes(arrayType->dtype());
  copyStrided(actual, bytes, whole.data(), denseStrides(arrayType->dims(), bytes), host,
              denseStrides(actual, bytes));
}

void DeviceArray::copyFrom(const DeviceArray &other) {
  assert(*arrayType == *other.arrayType && "arrays of one type");
  if (size() > 0)
    std::memcpy(mutableBytes().data(), other.bytes().data(), size_t(size()));
  actual = other.actual;
}

absl::Status Hbm::outOfMemory(int64_t bytes, const char *what) const {
  return absl::ResourceExhaustedError(absl::StrCat("out of HBM: ", what, " takes ", bytes,
                                                   " bytes, and of ", use.limit, " bytes ",
                                                   use.inUse, " are in use"));
}

absl::StatusOr<std::shared_ptr<DeviceArray>> Hbm::allocate(std::shared_ptr<const ArrayType> type) {
  const int64_t size = type->deviceBytes();
  std::shared_ptr<DeviceArray> array(new DeviceArray(shared_from_this(), std::move(type)));
  {
    std::lock_guard lock(mutex);
    if (size > use.limit - use.inUse)
      return outOfMemory(size, array->type()->toString().c_str());
    use.inUse += size; // visible to other threads at once
  }
  absl::Status status;
  if (size > 0) {
    // A program reads and writes at least eight rows.
    absl::StatusOr<MachineMemory::Rows> rows =
        memory->allocate(std::max<int64_t>(8, size / isa::kRowBytes));
    if (rows.ok())
      array->rows = *std::move(rows);
    status = rows.status();
  }
  std::lock_guard lock(mutex);
  if (!status.ok()) {
    use.inUse -= size;
    return absl::Status(status.code(),
                        absl::StrCat(status.message(), " for ", array->type()->toString()));
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
