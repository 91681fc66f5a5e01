// A queue of arrays between the host and a device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_ARRAYQUEUE_H
#define SYSTOLE_RUNTIME_CLIENT_ARRAYQUEUE_H

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"

namespace systole {

// First in, first out. All functions may be called from any thread.
class ArrayQueue {
public:
  // `name` is for errors: "infeed".
  explicit ArrayQueue(std::string name) : name(std::move(name)) {}

  void put(HostArray array);
  // No array comes until the next put(): nobody waits for one.
  void end();

  // Removes the first array, and waits for it. InvalidArgument if it is not of the type of
  // `expected`, whose bytes are not looked at: it stays then. OutOfRange if there is none after
  // end(), Cancelled once `cancel`, which may be null, is true.
  absl::StatusOr<HostArray> take(const HostArray &expected, const std::atomic<bool> *cancel);

private:
  const std::string name;
  std::mutex mutex; // guards the fields below
  std::condition_variable changed;
  std::deque<HostArray> arrays;
  bool ended = false;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_ARRAYQUEUE_H
