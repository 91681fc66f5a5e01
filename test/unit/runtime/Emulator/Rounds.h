// A program that exchanges rows with the host, and a host that answers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_ROUNDS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_ROUNDS_H

#include <algorithm>
#include <atomic>
#include <numeric>

#include "runtime/Emulator/HostPort.h"

namespace systole::test {

// Sums the words that it is sent, and answers with the sum so far.
class SummingHost : public HostPort {
public:
  absl::Status send(int, absl::Span<const uint32_t> words) override {
    sum = std::accumulate(words.begin(), words.end(), sum);
    ++messages;
    if (cancel && messages == 5)
      *cancel = true;
    return messages == failing ? absl::InternalError("the host is tired") : absl::OkStatus();
  }
  absl::Status receive(int, absl::Span<uint32_t> words, const std::atomic<bool> *) override {
    ++messages;
    std::fill(words.begin(), words.end(), sum);
    return absl::OkStatus();
  }

  uint32_t sum = 17;
  int messages = 0;
  int failing = -1;
  std::atomic<bool> *cancel = nullptr;
};

// Four times: a row is sent, and what comes back is sent next.
inline constexpr const char *kRounds = R"(
.program rounds
.region x hbm 1
.region out host 1
.region in host 1
.constant x f32 splat 2.0 count 128
.send sent f32[128] in out channel 2 source "model.py:7:3"
.recv received f32[128] in in channel 3
.descriptor send hbm to host chunk 128
.descriptor recv host to hbm chunk 128
routine main {
  loop 4 {
    dma.start dst=0, src=0, dstRegion=out, srcRegion=x, descriptor=send, flag=0
    wait 1, flag=0
    dma.start dst=0, src=0, dstRegion=x, srcRegion=in, descriptor=recv, flag=0
    wait 1, flag=0
  }
  halt
}
)";

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_ROUNDS_H
