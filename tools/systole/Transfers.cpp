// The host's side of a program's transfers on the command line.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Transfers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/systole/Values.h"

namespace systole {
namespace {

absl::Status check(const program::HostTransfer &transfer, const TransferOptions &options) {
  const std::string at = transfer.source().empty() ? "" : absl::StrCat(transfer.source(), ": ");
  if (transfer.queued() && !transfer.to_host() && options.infeed.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(at, "the program takes arrays from the infeed; give them with --infeed"));
  if (transfer.queued() || !options.answers.empty() ||
      (transfer.to_host() && options.discardsSends))
    return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(at, "the program ", transfer.to_host() ? "sends to" : "receives from",
                   " the host over channel ", transfer.channel(),
                   ", as callbacks do, and nothing is there to answer; ",
                   transfer.to_host() ? "--discard-sends runs it nevertheless"
                                      : "--answers gives its answers, --timing-only counts its "
                                        "cycles"));
}

} // namespace

void addTransferOptions(CLI::App &command, TransferOptions &options) {
  auto add = [&](const char *name, auto &value, const char *help) {
    command.add_option(name, value, help)->check(notEmpty());
  };
  add("--infeed", options.infeed,
      "What the program takes from the infeed: one .npz with in0, in1, ..., or an .npy for each");
  add("--answers", options.answers,
      "What the program receives from the host, as callbacks return it: an .npz with channel0, "
      "..., in each all arrays of one channel, in order; what it sends is discarded");
  command.add_flag("--discard-sends", options.discardsSends,
                   "Run programs that send to the host, and discard the data");
}

absl::StatusOr<Transfers> Transfers::create(const program::ProgramHeader &header,
                                            const TransferOptions &options) {
  for (bool toHost : {false, true})
    for (const program::HostTransfer &transfer : header.transfers())
      if (transfer.to_host() == toHost)
        if (absl::Status status = check(transfer, options); !status.ok())
          return status;
  Transfers transfers;
  if (!options.infeed.empty()) {
    absl::StatusOr<ArrayReader> reader = ArrayReader::open(options.infeed, "in");
    if (!reader.ok())
      return reader.status();
    transfers.infeed = std::make_shared<Infeed>(Infeed{*std::move(reader)});
  }
  if (!options.answers.empty()) {
    absl::StatusOr<HostAnswers> answers = HostAnswers::read(options.answers, header);
    if (!answers.ok())
      return answers.status();
    transfers.answers = *std::move(answers);
  }
  return transfers;
}

absl::StatusOr<HostArray> Transfers::next(Infeed &infeed, const program::Tensor &expected) {
  ArrayReader &arrays = infeed.arrays;
  const int64_t taken = infeed.taken;
  if (taken == arrays.size())
    return absl::OutOfRangeError(absl::StrCat("the infeed ends after ", taken,
                                              taken == 1 ? " array" : " arrays", ", where ",
                                              typeString(expected), " is expected"));
  ++infeed.taken;
  return arrays.read(
      taken, expected,
      absl::StrCat("the infeed's next array is ", typeString(expected), " in the program"));
}

std::vector<HostChannels> Transfers::channels(const program::ProgramHeader &header) const {
  std::vector<HostChannels> byCore(size_t(header.cores()));
  for (int core = 0; core < header.cores(); ++core) {
    HostChannels &channels = byCore[size_t(core)];
    for (const program::HostTransfer &transfer : header.transfers())
      if (!transfer.queued() && transfer.to_host())
        channels.sends[transfer.channel()] = [](std::span<const uint8_t>) {
          return absl::OkStatus();
        };
    if (answers)
      answers->addTo(channels, core);
    channels.outfeed = [kept = kept](HostArray array) {
      kept->push_back(std::move(array));
      return absl::OkStatus();
    };
    if (infeed)
      channels.infeed = [infeed = infeed](const program::Tensor &expected,
                                          const std::atomic<bool> *) {
        return next(*infeed, expected);
      };
  }
  return byCore;
}

numerics::MakeHost hostOf(TransferOptions options) {
  options.discardsSends = true;
  return [options = std::move(options)](
             const program::ProgramHeader &header) -> absl::StatusOr<std::vector<HostChannels>> {
    absl::StatusOr<Transfers> transfers = Transfers::create(header, options);
    if (!transfers.ok())
      return transfers.status();
    return transfers->channels(header);
  };
}

} // namespace systole
