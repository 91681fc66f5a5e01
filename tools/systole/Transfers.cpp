// The host's side of a program's transfers on the command line.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Transfers.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace systole {
namespace {

absl::Status check(const program::HostTransfer &transfer, const TransferOptions &options) {
  const std::string at = transfer.source().empty() ? "" : absl::StrCat(transfer.source(), ": ");
  if (transfer.queued() && !transfer.to_host() && options.infeed.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(at, "the program takes arrays from the infeed; give them with --infeed"));
  if (transfer.queued() || (transfer.to_host() && options.discardsSends))
    return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(at, "the program ", transfer.to_host() ? "sends to" : "receives from",
                   " the host over channel ", transfer.channel(),
                   ", as callbacks do, and nothing is there to answer; ",
                   transfer.to_host() ? "--discard-sends runs it nevertheless"
                                      : "--timing-only counts its cycles"));
}

} // namespace

absl::StatusOr<Transfers> Transfers::create(const program::ProgramHeader &header,
                                            const TransferOptions &options) {
  for (bool toHost : {false, true})
    for (const program::HostTransfer &transfer : header.transfers())
      if (transfer.to_host() == toHost)
        if (absl::Status status = check(transfer, options); !status.ok())
          return status;
  Transfers transfers;
  if (options.infeed.empty())
    return transfers;
  absl::StatusOr<ArrayReader> reader = ArrayReader::open(options.infeed, "in");
  if (!reader.ok())
    return reader.status();
  transfers.infeed = *std::move(reader);
  return transfers;
}

absl::StatusOr<HostArray> Transfers::next(const program::Tensor &expected) {
  if (taken == infeed->size())
    return absl::OutOfRangeError(absl::StrCat("the infeed ends after ", taken,
                                              taken == 1 ? " array" : " arrays", ", where ",
                                              typeString(expected), " is expected"));
  absl::StatusOr<HostArray> array = infeed->read(
      taken, expected,
      absl::StrCat("the infeed's next array is ", typeString(expected), " in the program"));
  ++taken;
  return array;
}

HostChannels Transfers::channels(const program::ProgramHeader &header) {
  HostChannels channels;
  for (const program::HostTransfer &transfer : header.transfers())
    if (!transfer.queued())
      channels.sends[transfer.channel()] = [](std::span<const uint8_t>) {
        return absl::OkStatus();
      };
  channels.outfeed = [this](HostArray array) {
    kept.push_back(std::move(array));
    return absl::OkStatus();
  };
  channels.infeed = [this](const program::Tensor &expected, const std::atomic<bool> *) {
    return next(expected);
  };
  return channels;
}

} // namespace systole
