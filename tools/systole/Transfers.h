// The host's side of a program's transfers on the command line.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H
#define SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Client/HostAnswers.h"
#include "runtime/Client/HostChannels.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Numerics/TapRun.h"

namespace systole {

struct TransferOptions {
  std::vector<std::string> infeed; // files, as for arguments
  std::string answers;             // file of HostAnswers, or ""
  bool discardsSends = false;
};

// Declares --infeed, --answers and --discard-sends.
void addTransferOptions(CLI::App &command, TransferOptions &options);

// There is no host program behind the command line: the infeed and what the host answers are in
// files, the outfeed is kept, and what goes over channels is discarded.
class Transfers {
public:
  // Unimplemented if the program receives over a channel without `answers`, or sends without
  // these and `discardsSends`; InvalidArgument if it uses the infeed and there are no files, or a
  // file is none of the program.
  static absl::StatusOr<Transfers> create(const program::ProgramHeader &header,
                                          const TransferOptions &options);

  // The functions of each core, for one run.
  std::vector<HostChannels> channels(const program::ProgramHeader &header) const;

  // All that programs have put into the outfeed.
  const std::vector<HostArray> &outfeed() const { return *kept; }

private:
  struct Infeed {
    ArrayReader arrays;
    int64_t taken = 0;
  };
  static absl::StatusOr<HostArray> next(Infeed &infeed, const program::Tensor &expected);

  std::shared_ptr<Infeed> infeed; // or null
  std::optional<HostAnswers> answers;
  std::shared_ptr<std::vector<HostArray>> kept = std::make_shared<std::vector<HostArray>>();
};

// Makes the host's side of each run of a program and of the same program with taps, whose sends are
// discarded.
numerics::MakeHost hostOf(TransferOptions options);

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H
