/* The symbols of libsystole_pjrt.so: the entry of the PJRT plugin, and functions for Python.
 *
 * Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SYSTOLE_RUNTIME_PJRT_SYSTOLE_PJRT_H
#define SYSTOLE_RUNTIME_PJRT_SYSTOLE_PJRT_H

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table of the plugin's functions. Never null. */
const PJRT_Api *GetPjrtApi(void);

/* Records a line of JSON for each program that this process compiles and each run that ends, from a
 * call with 1 until one with 0; both wait for runs in flight, and drop recorded lines. Lines are
 * those of SYSTOLE_REPORT. */
void SystoleRecordRuns(int on);

/* The lines recorded since the last call, each ending in a line break; null without memory. Waits
 * for runs in flight. The caller passes them to SystoleFree. */
char *SystoleTakeRuns(void);

/* Records what the host sends to the next program that receives from it, in its first run from a
 * call with 1 until one with 0. */
void SystoleRecordAnswers(int on);

/* Writes what was recorded to a file, for --answers of the command, if a program that receives has
 * run. The error, to be passed to SystoleFree; null if there is none. */
char *SystoleWriteAnswers(const char *path);

/* The channel over which this thread sends to the client just now: the last one of the operands of
 * a callback that is called. -1 if there is none. */
long long SystoleSendingChannel(void);

/* The error in a value of SYSTOLE_TARGET, to be passed to SystoleFree; null if it is valid. */
char *SystoleCheckTarget(const char *target);

void SystoleFree(char *text);

#ifdef __cplusplus
}
#endif

#endif /* SYSTOLE_RUNTIME_PJRT_SYSTOLE_PJRT_H */
