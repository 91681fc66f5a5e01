// The host's side of a program's transfers, by channel and through queues.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_HOSTCHANNELS_H
#define SYSTOLE_RUNTIME_CLIENT_HOSTCHANNELS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Emulator/HostPort.h"

namespace systole {

// The period in which a run that waits for the host checks for cancellation.
inline constexpr std::chrono::milliseconds kCancelPeriod(20);

// Arrays are dense and row-major; the arrays of one transfer are concatenated. Functions are
// called in program order, on the thread of the device.
struct HostChannels {
  using Send = std::function<absl::Status(std::span<const uint8_t> arrays)>;
  // Fills the arrays; returns Cancelled once `cancel` is true.
  using Receive =
      std::function<absl::Status(std::span<uint8_t> arrays, const std::atomic<bool> *cancel)>;
  std::unordered_map<int64_t, Send> sends;
  std::unordered_map<int64_t, Receive> receives;

  // The device's queues. A transfer puts or takes its arrays one after the other.
  using Put = std::function<absl::Status(HostArray array)>;
  // The next array, of the type of `expected`.
  using Take = std::function<absl::StatusOr<HostArray>(const program::Tensor &expected,
                                                       const std::atomic<bool> *cancel)>;
  Put outfeed;
  Take infeed;
};

// InvalidArgument if a transfer of the program over a channel has no function, Unimplemented if it
// uses a queue that there is not.
absl::Status checkChannels(const Program &program, const HostChannels &channels);

// The host's side of the transfers of one core in a run.
class ChannelPort : public HostPort {
public:
  // Both must outlive this object.
  ChannelPort(const Program &program, const HostChannels &channels);

  absl::Status send(int region, absl::Span<const uint32_t> words) override;
  absl::Status receive(int region, absl::Span<uint32_t> words,
                       const std::atomic<bool> *cancel) override;

  // The first error of a channel's function.
  const absl::Status &status() const { return failure; }

private:
  // The arrays of one transfer over a channel, as far as copies have moved them: a program may have
  // thousands, of which few are under way.
  struct Exchange {
    const program::HostTransfer *transfer;
    int pieces = 0;              // planes of all tensors
    int next = 0;                // piece
    size_t bytes = 0;            // of all tensors
    std::vector<uint8_t> host;   // all tensors; empty between transfers, like
    std::vector<uint8_t> planes; // those of the current tensor
  };
  // One plane of a tensor, in a region of its own.
  struct Piece {
    Exchange *exchange;
    const program::Tensor *tensor;
    int number; // in the exchange
    int plane;
    size_t hostAt; // where the tensor begins in the host's bytes
  };

  // Calls the host's function with all that was sent, or for all that is to be received.
  absl::Status deliver(const Exchange &exchange);
  absl::Status obtain(Exchange &exchange, const std::atomic<bool> *cancel);
  // The piece in `region`, if it is the next one in order.
  absl::StatusOr<Piece> pieceIn(int region, bool toHost);
  // Frees the arrays of a transfer that has been completed.
  static void finish(Exchange &exchange);
  absl::Status failed(absl::Status status);

  const HostChannels &channels;
  std::deque<Exchange> exchanges;
  std::unordered_map<int, Piece> pieces; // by region
  absl::Status failure;
};

// The host's side of the transfers of a run, with the channels of each of its cores.
class ChannelPorts {
public:
  // Both must outlive this object.
  ChannelPorts(const Program &program, std::span<const HostChannels> channels);

  // A port for each core, or none without channels.
  std::vector<HostPort *> byCore();
  // The error of a channel's function that the first core with one has.
  absl::Status status() const;

private:
  std::vector<ChannelPort> ports;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_HOSTCHANNELS_H
