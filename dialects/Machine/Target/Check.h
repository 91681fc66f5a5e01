// Checks of a target description.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_CHECK_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_CHECK_H

#include "absl/status/status.h"
#include "dialects/Machine/Target/target.pb.h"

namespace systole {

// InvalidArgument, naming the field, unless every constant and every latency
// class is there once, with the unit that target.proto specifies, a source,
// a confidence and a value in range.
absl::Status checkDescription(const target::TargetDescription &description);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_CHECK_H
