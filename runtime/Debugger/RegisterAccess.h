// Bundles that access a register or a flag.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_REGISTERACCESS_H
#define SYSTOLE_RUNTIME_DEBUGGER_REGISTERACCESS_H

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::debugger {

// The bundles that write register "s3", "v2" or "m1", or with `reads` also those that read it; and
// those that name "flag4", which a copy raises when it is done. Nothing if `text` is none of these.
std::optional<std::vector<int64_t>> registerAccesses(const Program &program, absl::string_view text,
                                                     bool reads);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_REGISTERACCESS_H
