// Completion of asynchronous work, and its cancellation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_EVENT_H
#define SYSTOLE_EVENT_H

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

/// Completes once, with a status. A handle: copies share the completion. All functions may be
/// called from any thread.
class SYSTOLE_EXPORT Event {
public:
  struct State;

  using Callback = std::function<void(const absl::Status &)>;

  bool isReady() const;
  /// Waits for the completion and returns its status. Must not be called by a callback of another
  /// event of the same device: the device would wait for itself.
  absl::Status await() const;
  /// Calls `callback` once with the status: before it returns if the event has completed, else on
  /// the thread that completes it. Callbacks should be short, for the device
  /// waits for them, and must not throw.
  void onReady(Callback callback) const;

private:
  friend struct Access;
  std::shared_ptr<const State> state;
};

/// Cancels the compilations and runs that it was given to, from any thread. A handle: copies are
/// the same cancellation.
class SYSTOLE_EXPORT Cancellation {
public:
  struct State;

  Cancellation();

  /// They end soon with absl::StatusCode::kCancelled, and so do later ones.
  void cancel() const;
  bool isCancelled() const;

private:
  friend struct Access;
  std::shared_ptr<State> state;
};

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_EVENT_H
