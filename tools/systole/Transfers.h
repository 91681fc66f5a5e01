// The host's side of a program's transfers on the command line.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H
#define SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Client/HostChannels.h"
#include "runtime/Device/ArrayFiles.h"

namespace systole {

struct TransferOptions {
  std::vector<std::string> infeed; // files, as for arguments
  bool discardsSends = false;
};

// There is no host program behind the command line: the infeed is in files, the outfeed is kept,
// and what goes over channels is discarded. Must not move while a program runs.
class Transfers {
public:
  // Unimplemented if the program receives over a channel, or sends without `discardsSends`;
  // InvalidArgument if it uses the infeed and there are no files, or these cannot be read.
  static absl::StatusOr<Transfers> create(const program::ProgramHeader &header,
                                          const TransferOptions &options);

  // The functions of a run. This object must outlive them.
  HostChannels channels(const program::ProgramHeader &header);

  // All that the program has put into the outfeed.
  const std::vector<HostArray> &outfeed() const { return kept; }

private:
  absl::StatusOr<HostArray> next(const program::Tensor &expected);

  std::optional<ArrayReader> infeed;
  int64_t taken = 0; // from the infeed
  std::vector<HostArray> kept;
};

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_TRANSFERS_H
