// What runs cost, for the process that they are in.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>

#include "runtime/Client/RunLog.h"
#include "runtime/Pjrt/systole_pjrt.h"

void SystoleRecordRuns(int on) { systole::recordRuns(on != 0); }

char *SystoleTakeRuns(void) { return ::strdup(systole::takeRecordedRuns().c_str()); }

void SystoleFree(char *text) { std::free(text); }
