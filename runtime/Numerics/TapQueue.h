// Values on their way from one run to another that compares them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_TAPQUEUE_H
#define SYSTOLE_RUNTIME_NUMERICS_TAPQUEUE_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Numerics/TapRun.h"

namespace systole::numerics {

// One thread puts the messages of a run, another one takes them, of each core in order. The first
// one waits while there are too many bytes, unless the other waits for a message.
class TapQueue {
public:
  struct Message {
    int64_t channel = 0;
    std::string dtype;
    std::vector<uint8_t> bytes;
  };

  TapQueue(int cores, size_t most) : most(most), waiting(size_t(cores)) {}

  // Forgotten once the reader takes no more.
  void put(const TapMessage &message);
  // The writer's end: with the error of its run, if it had one.
  void finish(absl::Status status);
  // The next message of a core; nothing behind the last one. The error of the writer's run.
  absl::StatusOr<std::optional<Message>> take(int core);
  // The next message of any core that nobody has taken, or nothing once the writer has ended. Waits
  // for one of these, and asks `goesOn` from time to time whether it is to.
  std::optional<Message> rest(const std::function<bool()> &goesOn);
  // The reader's end: nobody takes more.
  void close();

private:
  const size_t most;
  std::mutex mutex; // protects the members below
  std::condition_variable changed;
  std::vector<std::deque<Message>> waiting; // by core
  size_t bytes = 0;
  bool isReaderWaiting = false, isClosed = false;
  std::optional<absl::Status> ended;
};

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_TAPQUEUE_H
