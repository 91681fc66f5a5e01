// The state of a core as an archive (Archive.h), but for the contents of its memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CAPTURE_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CAPTURE_H

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

// Of a core that computes all values. Equal states give equal archives, whatever the host.
std::string captureState(const Core &core);

// Sets the state of a core that has been reset. The archive is untrusted: InvalidArgument, after
// which the core has to be reset again, for a state that the core cannot execute safely.
absl::Status restoreState(Core &core, std::string_view archive);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CAPTURE_H
