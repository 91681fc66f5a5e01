// The recording of this process.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/AnswerRecording.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "runtime/Client/HostAnswers.h"

namespace systole::pjrt {

namespace {

struct Recording {
  std::mutex mutex; // protects the members below
  bool isOn = false;
  std::shared_ptr<AnswerRecorder> recorder; // of the run, once it has begun
};

Recording &recording() {
  static Recording theOne;
  return theOne;
}

} // namespace

void recordAnswers(bool on) {
  std::lock_guard lock(recording().mutex);
  recording().isOn = on;
  recording().recorder.reset();
}

void recordIfFirst(const program::ProgramHeader &header, std::vector<HostChannels> &channels) {
  std::lock_guard lock(recording().mutex);
  if (!recording().isOn || recording().recorder ||
      std::ranges::all_of(channels, [](const HostChannels &each) { return each.receives.empty(); }))
    return;
  recording().recorder = std::make_shared<AnswerRecorder>(header);
  for (size_t core = 0; core < channels.size(); ++core)
    recording().recorder->record(channels[core], int(core));
}

absl::Status writeAnswers(const std::string &path) {
  std::lock_guard lock(recording().mutex);
  return recording().recorder ? recording().recorder->write(path) : absl::OkStatus();
}

} // namespace systole::pjrt
