// Functions for the plugin's Python package beyond PJRT.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>
#include <string>

#include "dialects/Machine/Target/Target.h"
#include "runtime/Client/RunLog.h"
#include "runtime/Pjrt/AnswerRecording.h"
#include "runtime/Pjrt/HostCallbacks.h"
#include "runtime/Pjrt/systole_pjrt.h"

void SystoleRecordRuns(int on) { systole::recordRuns(on != 0); }

char *SystoleTakeRuns(void) { return ::strdup(systole::takeRecordedRuns().c_str()); }

static char *errorOf(const absl::Status &status) {
  return status.ok() ? nullptr : ::strdup(std::string(status.message()).c_str());
}

void SystoleRecordAnswers(int on) { systole::pjrt::recordAnswers(on != 0); }

char *SystoleWriteAnswers(const char *path) { return errorOf(systole::pjrt::writeAnswers(path)); }

long long SystoleSendingChannel(void) { return systole::pjrt::sendingChannel(); }

char *SystoleCheckTarget(const char *target) {
  return errorOf(systole::Target::load(target).status());
}

void SystoleFree(char *text) { std::free(text); }
