// Comparison of messages with recorded ones, and the form of logs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/HostLog.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/State/Archive.h"
#include "llvm/Support/xxhash.h"

namespace systole {

namespace {

constexpr std::string_view kFormat = "host log 1";

uint64_t hashOf(absl::Span<const uint32_t> words) {
  return llvm::xxh3_64bits(llvm::StringRef(reinterpret_cast<const char *>(words.data()),
                                           words.size() * sizeof(uint32_t)));
}

HostMessage messageOf(bool isSend, int region, const absl::Status &answer) {
  HostMessage message;
  message.isSend = isSend;
  message.region = region;
  message.code = int32_t(answer.code());
  message.text = std::string(answer.message());
  return message;
}

absl::Status answerOf(const HostMessage &message) {
  return {absl::StatusCode(message.code), message.text};
}

template <typename Archive> void describe(Archive &archive, auto &log) {
  archive.list("messages", log.messages, [](auto &to, auto &message) {
    to.value("isSend", message.isSend);
    to.value("region", message.region);
    to.value("words", message.words);
    to.value("sentHash", message.sentHash);
    to.value("code", message.code);
    to.value("text", message.text);
  });
  bool isCancelled = log.cancelled.has_value();
  archive.value("isCancelled", isCancelled);
  if (!isCancelled)
    return;
  if constexpr (Archive::kReads)
    log.cancelled.emplace();
  archive.value("core", log.cancelled->core);
  archive.value("clock", log.cancelled->clock);
}

} // namespace

std::string HostLog::serialize() const {
  emulation::ArchiveWriter archive;
  archive.value("format", std::string(kFormat));
  describe(archive, *this);
  return std::move(archive).take();
}

absl::StatusOr<HostLog> HostLog::parse(std::string_view bytes) {
  HostLog log;
  std::string format;
  emulation::ArchiveReader archive(bytes);
  archive.value("format", format);
  if (format != kFormat)
    return absl::InvalidArgumentError("not a log of the host's messages of this version");
  describe(archive, log);
  if (absl::Status status = archive.finish(); !status.ok())
    return status;
  return log;
}

absl::Status RecordingPort::send(int region, absl::Span<const uint32_t> words) {
  absl::Status answer = port.send(region, words);
  log.messages.push_back(messageOf(true, region, answer));
  log.messages.back().sentHash = hashOf(words);
  return answer;
}

absl::Status RecordingPort::receive(int region, absl::Span<uint32_t> words,
                                    const std::atomic<bool> *cancel) {
  absl::Status answer = port.receive(region, words, cancel);
  log.messages.push_back(messageOf(false, region, answer));
  if (answer.ok())
    log.messages.back().words.assign(words.begin(), words.end());
  return answer;
}

static absl::Status differs(size_t number) {
  return absl::FailedPreconditionError(
      absl::StrCat("message ", number, " is not the one that was recorded"));
}

absl::Status ReplayPort::send(int region, absl::Span<const uint32_t> words) {
  const size_t number = next++;
  if (number >= log.messages.size())
    return differs(number);
  const HostMessage &message = log.messages[number];
  if (!message.isSend || message.region != region || message.sentHash != hashOf(words))
    return differs(number);
  return answerOf(message);
}

absl::Status ReplayPort::receive(int region, absl::Span<uint32_t> words,
                                 const std::atomic<bool> *) {
  const size_t number = next++;
  if (number >= log.messages.size())
    return differs(number);
  const HostMessage &message = log.messages[number];
  const bool hasWords = message.code == 0;
  if (message.isSend || message.region != region ||
      (hasWords && message.words.size() != words.size()))
    return differs(number);
  if (hasWords)
    std::copy(message.words.begin(), message.words.end(), words.begin());
  return answerOf(message);
}

absl::Status RepeatingPort::send(int region, absl::Span<const uint32_t> words) {
  const size_t number = next++;
  return number < log.messages.size() ? ReplayPort(log, number).send(region, words)
                                      : recording.send(region, words);
}

absl::Status RepeatingPort::receive(int region, absl::Span<uint32_t> words,
                                    const std::atomic<bool> *cancel) {
  const size_t number = next++;
  if (number < log.messages.size())
    return ReplayPort(log, number).receive(region, words, cancel);
  absl::Status answer = recording.receive(region, words, cancel);
  if (absl::IsCancelled(answer))
    log.messages.pop_back();
  return answer;
}

} // namespace systole
