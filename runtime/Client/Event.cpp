// Events: a status behind a lock, and callbacks that wait for it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Event.h"

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace systole {

struct Event::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<absl::Status> status;
  std::vector<Callback> callbacks;
};

Event::Event() : state(std::make_shared<State>()) {}

Event Event::completed(absl::Status status) {
  // Success needs no state of its own: most events of an idle device complete at once.
  static const std::shared_ptr<State> success = [] {
    auto state = std::make_shared<State>();
    state->status = absl::OkStatus();
    return state;
  }();
  if (status.ok())
    return Event(success);
  auto state = std::make_shared<State>();
  state->status = std::move(status);
  return Event(std::move(state));
}

bool Event::isReady() const {
  std::lock_guard lock(state->mutex);
  return state->status.has_value();
}

absl::Status Event::await() const {
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock, [&] { return state->status.has_value(); });
  return *state->status;
}

void Event::onReady(Callback callback) const {
  {
    std::lock_guard lock(state->mutex);
    if (!state->status) {
      state->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(*state->status);
}

void Event::complete(absl::Status status) const {
  // Who waits may destroy the last handle before this returns, and so may a callback.
  const std::shared_ptr<State> held = state;
  std::vector<Callback> callbacks;
  {
    std::lock_guard lock(held->mutex);
    assert(!held->status && "an event completes once");
    held->status = std::move(status);
    callbacks = std::exchange(held->callbacks, {});
  }
  held->changed.notify_all();
  // Not under the lock: callbacks may query the event.
  for (Callback &callback : callbacks)
    callback(*held->status);
}

} // namespace systole
