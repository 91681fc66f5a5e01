// A queue of arrays between the host and a device.
// See docs/decisions/host-memory-and-transfers.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayQueue.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Client/HostChannels.h"

namespace systole {

void ArrayQueue::put(HostArray array) {
  {
    std::lock_guard lock(mutex);
    arrays.push_back(std::move(array));
    ended = false;
  }
  changed.notify_all();
}

void ArrayQueue::end() {
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_all();
}

absl::StatusOr<HostArray> ArrayQueue::take(const HostArray &expected,
                                           const std::atomic<bool> *cancel) {
  std::unique_lock lock(mutex);
  while (arrays.empty() && !ended) {
    if (cancel && cancel->load(std::memory_order_relaxed))
      return absl::CancelledError(absl::StrCat("cancelled while waiting for the ", name));
    changed.wait_for(lock, kCancelPeriod);
  }
  if (arrays.empty())
    return absl::OutOfRangeError(
        absl::StrCat("the ", name, " has ended, where ", typeString(expected), " is expected"));
  const HostArray &first = arrays.front();
  if (first.dtype != expected.dtype || first.dims != expected.dims)
    return absl::InvalidArgumentError(absl::StrCat("the next array of the ", name, " is ",
                                                   typeString(first), ", where ",
                                                   typeString(expected), " is expected"));
  HostArray array = std::move(arrays.front());
  arrays.pop_front();
  return array;
}

} // namespace systole
