// Values on their way from one run to another that compares them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/TapQueue.h"

#include <chrono>
#include <utility>

namespace systole::numerics {

void TapQueue::put(const TapMessage &message) {
  Message copy{message.channel, message.dtype, {message.bytes.begin(), message.bytes.end()}};
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return bytes < most || isReaderWaiting || isClosed; });
  if (isClosed)
    return;
  bytes += copy.bytes.size();
  waiting[size_t(message.core)].push_back(std::move(copy));
  changed.notify_all();
}

std::optional<TapQueue::Message> TapQueue::rest(const std::function<bool()> &goesOn) {
  constexpr std::chrono::milliseconds period(20);
  std::unique_lock lock(mutex);
  while (goesOn()) {
    for (std::deque<Message> &queue : waiting)
      if (!queue.empty())
        return queue.front();
    if (ended)
      break;
    changed.wait_for(lock, period);
  }
  return std::nullopt;
}

void TapQueue::finish(absl::Status status) {
  const std::lock_guard lock(mutex);
  ended = std::move(status);
  changed.notify_all();
}

absl::StatusOr<std::optional<TapQueue::Message>> TapQueue::take(int core) {
  std::unique_lock lock(mutex);
  std::deque<Message> &queue = waiting[size_t(core)];
  if (queue.empty() && !ended) {
    isReaderWaiting = true;
    changed.notify_all();
    changed.wait(lock, [&] { return !queue.empty() || ended; });
    isReaderWaiting = false;
  }
  if (queue.empty()) {
    if (!ended->ok())
      return *ended;
    return std::nullopt;
  }
  Message message = std::move(queue.front());
  queue.pop_front();
  bytes -= message.bytes.size();
  changed.notify_all();
  return message;
}

void TapQueue::close() {
  const std::lock_guard lock(mutex);
  isClosed = true;
  for (std::deque<Message> &queue : waiting)
    queue.clear();
  bytes = 0;
  changed.notify_all();
}

} // namespace systole::numerics
