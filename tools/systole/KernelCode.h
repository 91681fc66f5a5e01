// The IR of one kernel of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_KERNELCODE_H
#define SYSTOLE_TOOLS_SYSTOLE_KERNELCODE_H

#include <string>

#include "absl/status/statusor.h"
#include "tools/systole/Input.h"

namespace systole {

// The function of a kernel at level "kernel" or "core", without locations. Compiles the program.
// InvalidArgument if there is none.
absl::StatusOr<std::string> kernelCode(BuildOptions options, const std::string &level,
                                       const std::string &kernel);

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_KERNELCODE_H
