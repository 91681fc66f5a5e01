// Allocation of arrays, counted against what the device has.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Hbm.h"

#include <algorithm>
#include <new>

#include "absl/strings/str_cat.h"

namespace systole {

static constexpr std::align_val_t kAlignment{64};

void DeviceArray::Free::operator()(uint8_t *bytes) const { ::operator delete(bytes, kAlignment); }

DeviceArray::~DeviceArray() {
  std::lock_guard lock(hbm->mutex);
  hbm->use.inUse -= bytes ? size() : 0;
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
    use.inUse += size; // others see at once that it is taken
  }
  array->bytes.reset(static_cast<uint8_t *>(
      ::operator new(size_t(std::max<int64_t>(size, 1)), kAlignment, std::nothrow)));
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
