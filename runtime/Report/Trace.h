// A run as a trace for Perfetto and chrome://tracing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_TRACE_H
#define SYSTOLE_RUNTIME_REPORT_TRACE_H

#include <string>

namespace systole {

struct Program;
struct RunStats;
class Target;

// The Trace Event Format (JSON): a process for each core; in it threads for
// kernels, for waits, and for copies, of which as many as copies overlap; and a process with a
// thread for each link between chips that carried something. Times are of the device, in
// microseconds; `args` has cycles, bytes and sources.
std::string toTrace(const Program &program, const RunStats &stats, const Target &target);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_TRACE_H
