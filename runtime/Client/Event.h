// Something that completes once, with a status, and whom to tell.
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

  // One that has not completed.
  Event();
  // One that has.
  static Event completed(absl::Status status = absl::OkStatus());

  bool isReady() const;
  // Waits for the completion and gives its status.
  absl::Status await() const;
  // Calls `callback` once with the status: here and now if that is known, else on the thread that
  // completes the event.
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
