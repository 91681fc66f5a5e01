// Copies between HBM and the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/CopyEngine.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::emulation {

// The host's side of a copy: a whole message, whatever the strides of the other side.
std::optional<Fault> CopyEngine::locateHost(const CopyRequest &request, bool isSource,
                                            const Pattern &memory, Pattern &host) const {
  const int32_t index = isSource ? request.srcRegion : request.dstRegion;
  if (memory.space != program::HBM || request.descriptor->dst_core() >= 0)
    return Fault{TrapKind::BadOperand,
                 "a copy from or to the host has this core's HBM on its other side"};
  if (index < 0 || index >= context.header.regions_size() ||
      context.header.regions(index).space() != program::HOST)
    return Fault{TrapKind::BadOperand, absl::StrCat("region ", index, " is not of the host")};
  const program::Region &region = context.header.regions(index);
  if ((isSource ? request.srcOrigin : request.dstOrigin) == kKnown &&
      (isSource ? request.src : request.dst) != 0)
    return Fault{TrapKind::BadOperand, absl::StrCat("a copy does not begin where region `",
                                                    region.name(), "` of the host does")};
  host.space = program::HOST;
  host.chunk = memory.words();
  if (host.chunk > region.size() * isa::kLanes)
    return Fault{TrapKind::OutOfBounds,
                 absl::StrCat("a copy of ", host.chunk, " words from or to region `", region.name(),
                              "` of the host, which has ", region.size() * isa::kLanes)};
  return std::nullopt;
}

// Sends the words to the host, or receives them from it.
std::optional<Fault> CopyEngine::exchange(const CopyRequest &request, const Pattern &src,
                                          const Pattern &dst) {
  const bool isSend = dst.space == program::HOST;
  const int region = isSend ? request.dstRegion : request.srcRegion;
  if (!port)
    return Fault{TrapKind::Unsupported,
                 absl::StrCat("the program ", isSend ? "sends to" : "receives from",
                              " the host (region `", context.header.regions(region).name(),
                              "`), and no host is there")};
  ++context.state.hostMessages;
  DefaultFloatingPoint hostArithmetic;
  const Pattern &place = isSend ? src : dst;
  const int64_t count = place.words();
  uint32_t *words = context.memory.words(program::HBM);
  std::vector<uint32_t> gathered;
  const bool isWhole = place.levels == 0;
  if (!isWhole)
    gathered.resize(size_t(count));
  uint32_t *message = isWhole ? words + place.base : gathered.data();
  int64_t at = 0;
  absl::Status status;
  if (isSend) {
    if (!isWhole)
      forEachChunk(place, [&](int64_t word) {
        std::memcpy(message + at, words + word, size_t(place.chunk) * 4);
        at += place.chunk;
      });
    status = port->send(region, {message, size_t(count)});
  } else {
    forEachChunk(place, [&](int64_t word) {
      context.memory.noteWrite(program::HBM, size_t(word) * 4, size_t(place.chunk) * 4);
    });
    status = port->receive(region, {message, size_t(count)}, cancel);
    if (!isWhole && status.ok())
      forEachChunk(place, [&](int64_t word) {
        std::memcpy(words + word, message + at, size_t(place.chunk) * 4);
        at += place.chunk;
      });
  }
  if (!status.ok())
    return Fault{TrapKind::Host, std::string(status.message()), status};
  return std::nullopt;
}

} // namespace systole::emulation
