/* What libsystole_pjrt.so shows: the entry of the PJRT plugin, and what its Python package asks.
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

/* Keeps a line of JSON for each program that this process compiles and each run that ends, from a
 * call with 1 until one with 0; both wait for runs that were called, and drop what was kept. Lines
 * are those of SYSTOLE_REPORT. */
void SystoleRecordRuns(int on);

/* The lines kept since the last call, each ending in a line break; null without memory. Waits for
 * runs that were called. The caller gives them to SystoleFree. */
char *SystoleTakeRuns(void);

/* What is wrong with a value of SYSTOLE_TARGET, for SystoleFree; null if nothing is. */
char *SystoleCheckTarget(const char *target);

void SystoleFree(char *text);

#ifdef __cplusplus
}
#endif

#endif /* SYSTOLE_RUNTIME_PJRT_SYSTOLE_PJRT_H */
