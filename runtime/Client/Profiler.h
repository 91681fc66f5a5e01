// Records the runs of this process's devices during profiling.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_PROFILER_H
#define SYSTOLE_RUNTIME_CLIENT_PROFILER_H

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "runtime/Client/LoadedProgram.h"

namespace systole {

// One session at a time, of all clients of the process; any thread may call these.

// FailedPrecondition if a session is active.
absl::Status startProfile();
// Ends the session and returns the runs that began and ended in it, as a serialized XSpace with a
// plane for each device that ran. Runs beyond half a million events are shown without their
// kernels, with a warning in the XSpace and on stderr.
std::string stopProfile();

// The active session; 0 for none. Queried when a run begins.
uint64_t profileSession();
// Whether a run of the session records events: false once the limit is reached.
bool profileWantsEvents();
// What a core of a program did in a run on a device that began in `session`; ignored if that
// session has ended.
void profileRun(uint64_t session, const LoadedProgram &program, const RunStats &stats, int core,
                int device, const Hbm &hbm);

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_PROFILER_H
