// A client's send and receive callbacks as functions of channels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_HOSTCALLBACKS_H
#define SYSTOLE_RUNTIME_PJRT_HOSTCALLBACKS_H

#include <cstdint>

#include "absl/status/statusor.h"
#include "pjrt_c_api.h"
#include "runtime/Client/HostChannels.h"

namespace systole::pjrt {

// The callbacks of a run for one of its devices, by its number in the run. The client's functions
// must outlive the run; its lists need not. InvalidArgument for a list or function that is null,
// and for a channel that is given twice.
absl::StatusOr<HostChannels> channelsOf(const PJRT_ExecuteOptions &options, size_t device);

// The channel over which this thread calls a client's send function, or -1.
int64_t sendingChannel();

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_HOSTCALLBACKS_H
