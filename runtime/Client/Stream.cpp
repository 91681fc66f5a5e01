// One thread per device, and its queue.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Stream.h"

#include <cassert>
#include <utility>

namespace systole {

// Whether this thread runs a task of a stream.
static thread_local bool isInTask = false;

void runAsTask(const std::function<void()> &task) {
  const bool outer = std::exchange(isInTask, true);
  task();
  isInTask = outer;
}

Stream::~Stream() {
  {
    std::lock_guard lock(mutex);
    assert(!waiting && "a task that waits for the host outlives no stream");
    closing = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

Stream::Waiting::Waiting(Stream &stream) : stream(stream) {
  std::lock_guard lock(stream.mutex);
  assert(stream.busy && "a task waits");
  outer = std::exchange(stream.waiting, true);
  // The thread of a gang's task stands for those of its other streams, which wait for it.
  outerRunner = std::exchange(stream.runner, std::this_thread::get_id());
}

Stream::Waiting::~Waiting() {
  std::lock_guard lock(stream.mutex);
  stream.waiting = outer;
  stream.runner = outerRunner;
}

bool Stream::isWaitingHere() {
  std::lock_guard lock(mutex);
  return waiting && std::this_thread::get_id() == runner;
}

bool Stream::isRunningHere() {
  std::lock_guard lock(mutex);
  return std::this_thread::get_id() == runner;
}

void Stream::run(std::function<void()> task) {
  if (isWaitingHere())
    return task();
  {
    std::lock_guard lock(mutex);
    // First, since the host may refuse it.
    if (!thread.joinable())
      thread = std::thread([this] { work(); });
    tasks.push_back(std::move(task));
  }
  changed.notify_all();
}

void Stream::runHereIfIdle(std::function<void()> task) {
  if (!takeIfIdle())
    return run(std::move(task));
  runAsTask(task);
  giveBack();
}

bool Stream::takeIfIdle() {
  std::lock_guard lock(mutex);
  if (busy || !tasks.empty())
    return false;
  busy = true;
  runner = std::this_thread::get_id();
  return true;
}

void Stream::giveBack() {
  std::lock_guard lock(mutex);
  assert(busy && runner == std::this_thread::get_id() && "one task runs at a time");
  busy = false;
  runner = {};
  // Waking the thread for nothing takes longer than a small program. A stream that closes may be
  // gone once it has the lock.
  if (closing || !tasks.empty())
    changed.notify_all();
}

void Stream::waitForRoom() {
  if (isInTask)
    return;
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return tasks.size() < kMostAhead; });
}

void Stream::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return !busy && (closing || !tasks.empty()); });
    if (tasks.empty()) {
      assert(closing && "the thread ends with the stream");
      return;
    }
    std::function<void()> task = std::exchange(tasks.front(), nullptr);
    tasks.pop_front();
    busy = true;
    runner = std::this_thread::get_id();
    lock.unlock();
    changed.notify_all();
    runAsTask(task);
    task = nullptr; // its captures may be large
    lock.lock();
    busy = false;
    runner = {};
  }
}

} // namespace systole
