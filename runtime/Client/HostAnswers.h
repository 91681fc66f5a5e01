// The arrays that a program has received from the host over channels, in a file: with it the
// program runs again without the host.
//
// An .npz, in which `channel3` has the arrays that were received over channel 3, in order: their
// shape with the number of times before it. Of a transfer of several arrays they are `channel3.0`,
// `channel3.1`, ...; of a program of several cores, each core has its own: `channel3@0`.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_HOSTANSWERS_H
#define SYSTOLE_RUNTIME_CLIENT_HOSTANSWERS_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Client/HostChannels.h"
#include "runtime/Device/HostArray.h"

namespace systole {

class HostAnswers {
public:
  // InvalidArgument if the file does not have an array for each that the program receives, of its
  // type.
  static absl::StatusOr<HostAnswers> read(const std::string &path,
                                          const program::ProgramHeader &header);

  // Adds functions that answer a core's receives from the first time on; OutOfRange once there are
  // no more.
  void addTo(HostChannels &channels, int core) const;

private:
  struct Channel {
    int64_t times = 0;
    std::vector<HostArray> arrays; // [times, ...]
    std::string source;            // of the operation, or ""
  };
  using Key = std::pair<int, int64_t>; // core and channel
  std::map<Key, std::shared_ptr<const Channel>> channels;
};

// Records the answers of one run. Owned by a shared pointer.
class AnswerRecorder : public std::enable_shared_from_this<AnswerRecorder> {
public:
  explicit AnswerRecorder(program::ProgramHeader header) : header(std::move(header)) {}

  // Records what these functions of a core answer, which share this object.
  void record(HostChannels &channels, int core);
  // An error of writeNpz.
  absl::Status write(const std::string &path) const;

private:
  const program::ProgramHeader header;
  mutable std::mutex mutex; // protects the member below
  std::map<std::pair<int, int64_t>, std::vector<std::vector<uint8_t>>> answers; // whole transfers
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_HOSTANSWERS_H
