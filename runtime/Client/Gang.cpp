// A meeting of the streams of a gang, of which the last one to come executes the task.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Gang.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <utility>

namespace systole {
namespace {

class Meeting {
public:
  Meeting(size_t members, std::function<void()> task) : missing(members), task(std::move(task)) {}

  // Of one stream: returns when the task has ended.
  void join() {
    std::unique_lock lock(mutex);
    if (isOver)
      return;
    assert(missing > 0 && "each stream comes once");
    if (--missing > 0) {
      changed.wait(lock, [&] { return isOver; });
      return;
    }
    lock.unlock();
    task();
    end();
  }

  // Streams that wait go on, and those that come later do not wait.
  void end() {
    std::function<void()> done;
    {
      std::lock_guard lock(mutex);
      isOver = true;
      std::swap(done, task); // its captures may be large
    }
    changed.notify_all();
  }

private:
  std::mutex mutex; // guards the members below, but `task` while it is called
  std::condition_variable changed;
  size_t missing;
  bool isOver = false;
  std::function<void()> task;
};

bool takeAllIfIdle(std::span<Stream *const> streams) {
  for (size_t i = 0; i < streams.size(); ++i)
    if (!streams[i]->takeIfIdle()) {
      for (Stream *taken : streams.first(i))
        taken->giveBack();
      return false;
    }
  return true;
}

} // namespace

void runOnAll(std::span<Stream *const> streams, std::mutex &order, std::function<void()> task,
              bool mayRunHere) {
  std::unique_lock lock(order);
  if (mayRunHere && takeAllIfIdle(streams)) {
    lock.unlock();
    runAsTask(task);
    for (Stream *stream : streams)
      stream->giveBack();
    return;
  }
  auto meeting = std::make_shared<Meeting>(streams.size(), std::move(task));
  try {
    for (Stream *stream : streams)
      stream->run([meeting] { meeting->join(); });
  } catch (...) {
    meeting->end();
    throw;
  }
}

} // namespace systole
