// The rates of links between chips that sources give, where they disagree.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_LINKRATES_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_LINKRATES_H

#include <string>
#include <vector>

#include "dialects/Machine/Target/Target.h"

namespace systole {

struct LinkRate {
  double gbPerSecond; // of a link, one way
  std::string source;
};

// The rate of the target's description, with which programs are emulated, and behind it the others
// that are known for a machine of its name, ascending.
std::vector<LinkRate> linkRates(const Target &target);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_LINKRATES_H
