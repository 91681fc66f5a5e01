// Values of operations for the debugger, from runs of the program with taps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_DEBUGVALUES_H
#define SYSTOLE_TOOLS_SYSTOLE_DEBUGVALUES_H

#include <map>
#include <utility>
#include <vector>

#include "runtime/Debugger/Values.h"
#include "tools/systole/Input.h"
#include "tools/systole/Transfers.h"

namespace systole {

class DebugValues : public debugger::Values {
public:
  // Of the program that the options name, a source, with these arguments.
  DebugValues(BuildOptions options, std::vector<HostArray> arguments, TransferOptions transfers)
      : options(std::move(options)), arguments(std::move(arguments)),
        transfers(std::move(transfers)) {}

  absl::StatusOr<HostArray> read(const std::string &name, int64_t execution) override;
  absl::StatusOr<Place> placeOf(const std::string &name) override;
  absl::StatusOr<std::string> ir(const std::string &level, const std::string &kernel,
                                 const std::string &source) override;
  absl::StatusOr<std::string> list(absl::string_view text) override;

private:
  // The operation of a name. InvalidArgument if there is none.
  absl::StatusOr<TappedOperation> operationOf(const std::string &name) const;
  // Compiles with taps of some operations, and lists them all.
  absl::StatusOr<Built> compile(std::vector<int64_t> numbers,
                                std::vector<TappedOperation> &operations) const;

  BuildOptions options;
  std::vector<HostArray> arguments;
  TransferOptions transfers;
  std::map<std::pair<std::string, int64_t>, HostArray> known;
};

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_DEBUGVALUES_H
