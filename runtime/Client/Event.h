// An event that completes once, with a status, and its callbacks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_EVENT_H
#define SYSTOLE_RUNTIME_CLIENT_EVENT_H

#include <functional>
#include <memory>

#include "absl/status/status.h"

namespace systole {

// A handle; copies share the completion. All functions may be called from any thread.
class Event {
public:
  using Callback = std::function<void(const absl::Status &)>;

  // An event that has not completed.
  Event();
  // An event that has completed.
  static Event completed(absl::Status status = absl::OkStatus());

  bool isReady() const;
  // Waits for the completion and returns its status.
  absl::Status await() const;
  // Calls `callback` once with the status: immediately if the event has completed, else on the
  // thread that completes it.
  void onReady(Callback callback) const;
  // At most once.
  void complete(absl::Status status) const;

private:
  struct State;
  explicit Event(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_EVENT_H
