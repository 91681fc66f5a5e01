// Between the device's form of arrays and that of channels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/HostChannels.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Device/Layout.h"

namespace systole {

absl::Status checkChannels(const Program &program, const HostChannels &channels) {
  for (const program::HostTransfer &transfer : program.header.transfers()) {
    const bool known = transfer.to_host() ? channels.sends.contains(transfer.channel())
                                          : channels.receives.contains(transfer.channel());
    if (!known)
      return absl::InvalidArgumentError(
          absl::StrCat("the program ", transfer.to_host() ? "sends to" : "receives from",
                       " channel ", transfer.channel(), transfer.source().empty() ? "" : " at ",
                       transfer.source(), ", for which no callback is given"));
  }
  return absl::OkStatus();
}

ChannelPort::ChannelPort(const Program &program, const HostChannels &channels)
    : channels(channels) {
  for (const program::HostTransfer &transfer : program.header.transfers())
    transfers[transfer.tensor().region()] = &transfer;
}

absl::Status ChannelPort::failed(absl::Status status) {
  if (failure.ok())
    failure = std::move(status);
  return failure;
}

absl::Status ChannelPort::send(int region, absl::Span<const uint32_t> words) {
  auto found = transfers.find(region);
  if (found == transfers.end() || !found->second->to_host())
    return failed(absl::InvalidArgumentError(
        absl::StrCat("nothing is sent through region ", region, " of the host")));
  const program::Tensor &tensor = found->second->tensor();
  const size_t bytes = size_t(deviceRows(tensor)) * isa::kRowBytes;
  const auto *device = reinterpret_cast<const uint8_t *>(words.data());
  // Rows behind the last element need not have been sent.
  std::vector<uint8_t> whole;
  if (words.size() * 4 < bytes) {
    whole.resize(bytes);
    std::memcpy(whole.data(), device, words.size() * 4);
    device = whole.data();
  }
  std::vector<uint8_t> array(size_t(hostBytes(tensor)));
  if (!array.empty())
    fromDevice(tensor, device, array.data());
  absl::Status status = channels.sends.at(found->second->channel())(array);
  return status.ok() ? status : failed(std::move(status));
}

absl::Status ChannelPort::receive(int region, absl::Span<uint32_t> words,
                                  const std::atomic<bool> *cancel) {
  auto found = transfers.find(region);
  if (found == transfers.end() || found->second->to_host())
    return failed(absl::InvalidArgumentError(
        absl::StrCat("nothing is received through region ", region, " of the host")));
  const program::Tensor &tensor = found->second->tensor();
  std::vector<uint8_t> array(size_t(hostBytes(tensor)));
  absl::Status status = channels.receives.at(found->second->channel())(array, cancel);
  if (!status.ok())
    return failed(std::move(status));
  std::vector<uint8_t> device(size_t(deviceRows(tensor)) * isa::kRowBytes);
  if (!array.empty())
    toDevice(tensor, array.data(), device.data());
  std::memcpy(words.data(), device.data(), std::min(device.size(), words.size() * 4));
  return absl::OkStatus();
}

} // namespace systole
