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
  if (memory.space != program::HBM || request.descriptor->arrival_flag() > 0)
    return Fault{TrapKind::BadOperand,
                 "a copy from or to the host has this core's HBM on its other side"};
  if (index < 0 || index >= header->regions_size() ||
      header->regions(index).space() != program::HOST)
    return Fault{TrapKind::BadOperand, absl::StrCat("region ", index, " is not of the host")};
  const program::Region &region = header->regions(index);
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
                              " the host (region `", header->regions(region).name(),
                              "`), and no host is there")};
  ++context.state.hostMessages;
  DefaultFloatingPoint hostArithmetic;
  const Pattern &place = isSend ? src : dst;
  const auto count = size_t(place.words());
  // Where they lie side by side, the host gets the words themselves.
  uint32_t *words = place.levels == 0
                        ? context.memory.find(program::HBM, place.base, place.chunk, !isSend)
                        : nullptr;
  absl::Status status;
  if (words) {
    status =
        isSend ? port->send(region, {words, count}) : port->receive(region, {words, count}, cancel);
  } else if (isSend) {
    status = port->send(region, gather(place));
  } else {
    std::vector<uint32_t> message(count);
    status = port->receive(region, absl::MakeSpan(message), cancel);
    const uint32_t *next = message.data();
    if (status.ok())
      forEachChunk(place, [&](int64_t word) {
        context.memory.write(program::HBM, word, place.chunk, next);
        next += place.chunk;
      });
  }
  if (!status.ok())
    return Fault{TrapKind::Host, std::string(status.message()), status};
  return std::nullopt;
}

} // namespace systole::emulation
