// Names of registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Registers.h"

#include "absl/strings/str_cat.h"

namespace systole::emulation {

std::string registerName(int reg) {
  if (reg < kVectorBase)
    return absl::StrCat("s", reg);
  if (reg < kMaskBase)
    return absl::StrCat("v", reg - kVectorBase);
  return absl::StrCat("m", reg - kMaskBase);
}

} // namespace systole::emulation
