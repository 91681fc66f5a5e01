// The threads that this process may use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_THREADS_HOSTTHREADS_H
#define SYSTOLE_RUNTIME_EMULATOR_THREADS_HOSTTHREADS_H

namespace systole {

// The host's processors on which this process may run, at least 1.
int hostThreads();

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_THREADS_HOSTTHREADS_H
