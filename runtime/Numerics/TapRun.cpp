// Runs of programs that send their values to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/TapRun.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace systole::numerics {

absl::StatusOr<RunResult> runTapped(const Program &program, const Target &target,
                                    const RunInputs &inputs, const TapSink &sink,
                                    std::atomic<int64_t> *cycles) {
  const program::ProgramHeader &header = program.header;
  std::vector<HostChannels> channels(size_t(header.cores()));
  if (inputs.host) {
    absl::StatusOr<std::vector<HostChannels>> host = inputs.host(header);
    if (!host.ok())
      return host.status();
    channels = *std::move(host);
  }
  for (const program::HostTransfer &transfer : header.transfers()) {
    if (transfer.queued() || !transfer.to_host()) {
      if (inputs.host)
        continue;
      return absl::UnimplementedError(
          absl::StrCat(transfer.source().empty() ? "" : transfer.source() + ": ", "the program ",
                       transfer.to_host() ? "uses the outfeed" : "waits for the host",
                       ", which is not there when its values are compared"));
    }
    const program::Tensor &tensor = transfer.tensors(0);
    for (int core = 0; core < header.cores(); ++core)
      channels[size_t(core)].sends[transfer.channel()] =
          [&, core,
           execution = int64_t(0)](std::span<const uint8_t> bytes) mutable -> absl::Status {
        TapMessage message{core, transfer.channel(), tensor.dtype(), {}, bytes};
        message.execution = execution++;
        message.dims.assign(tensor.dims().begin(), tensor.dims().end());
        return sink(message);
      };
  }
  EmulatorOptions options;
  options.cancel = inputs.cancel;
  absl::StatusOr<Executable> executable = Device(target, options).load(program);
  if (!executable.ok())
    return executable.status();
  ChannelPorts ports(executable->program(), channels);
  absl::StatusOr<RunResult> run =
      executable->run(inputs.arguments, HostPorts(ports.byCore()), cycles);
  // An error of the host's own is returned unchanged.
  absl::Status status = ports.status();
  return status.ok() ? std::move(run) : status;
}

} // namespace systole::numerics
