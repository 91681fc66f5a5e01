// Record and replay of what a run is given from outside.
//
// A run depends on its arguments, on what the host sends it, and on when it is cancelled. With a
// log of the latter two it can be repeated without the host: the same bits, cycles and traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_HOSTLOG_H
#define SYSTOLE_RUNTIME_EMULATOR_HOSTLOG_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Emulator/HostPort.h"

namespace systole {

// A message that a run has sent to the host or received from it.
struct HostMessage {
  bool isSend = false;
  int32_t region = 0;
  std::vector<uint32_t> words; // received
  uint64_t sentHash = 0;       // of the words that were sent
  int32_t code = 0;            // absl::StatusCode of the host's answer
  std::string text;            // and its message
};

// Where a run was cancelled: Emulator::cancel repeats it after Emulator::advance(clock).
struct Cancellation {
  int32_t core = 0;
  int64_t clock = 0;
};

struct HostLog {
  std::vector<HostMessage> messages;
  std::optional<Cancellation> cancelled;

  std::string serialize() const;
  // Of untrusted bytes: InvalidArgument if they are no log.
  static absl::StatusOr<HostLog> parse(std::string_view bytes);
};

// Appends the messages of `port` to `log`.
class RecordingPort final : public HostPort {
public:
  RecordingPort(HostPort &port, HostLog &log) : port(port), log(log) {}

  absl::Status send(int region, absl::Span<const uint32_t> words) override;
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override;

private:
  HostPort &port;
  HostLog &log;
};

// Answers as the host did, from message `first` on, which is Emulator::hostMessages of a run that
// is continued. FailedPrecondition, at the first message that is not the recorded one.
class ReplayPort final : public HostPort {
public:
  explicit ReplayPort(const HostLog &log, size_t first = 0) : log(log), next(first) {}

  absl::Status send(int region, absl::Span<const uint32_t> words) override;
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override;

private:
  const HostLog &log;
  size_t next;
};

// Asks the host for each message once: a run that goes back gets the same answers again.
class RepeatingPort final : public HostPort {
public:
  explicit RepeatingPort(HostPort &port) : recording(port, log) {}

  // The next message has this number, which is at most that of the next one for the host.
  void rewind(size_t message) { next = message; }

  absl::Status send(int region, absl::Span<const uint32_t> words) override;
  // Cancelled is no answer: the host is asked again.
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override;

private:
  HostLog log;
  RecordingPort recording;
  size_t next = 0;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_HOSTLOG_H
