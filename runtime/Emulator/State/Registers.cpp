// Places and names of registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Registers.h"

#include <cassert>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

static constexpr int32_t kRegisterBytes = kRegisterPitch * 4;

int32_t offsetOfRegister(int reg) {
  assert(reg >= 0 && reg < kRegisters && "no such register");
  if (reg < kVectorBase)
    return int32_t(offsetof(Registers, s)) + reg * 4;
  if (reg < kMaskBase)
    return int32_t(offsetof(Registers, v)) + (reg - kVectorBase) * kRegisterBytes;
  return int32_t(offsetof(Registers, m)) + (reg - kMaskBase) * kRegisterBytes;
}

int registerAtOffset(int32_t offset) {
  if (isScalarOffset(offset))
    return (offset - int32_t(offsetof(Registers, s))) / 4;
  if (offset >= int32_t(offsetof(Registers, m)))
    return kMaskBase + (offset - int32_t(offsetof(Registers, m))) / kRegisterBytes;
  return kVectorBase + offset / kRegisterBytes;
}

uint8_t maskAtOffset(int32_t offset) {
  const int reg = registerAtOffset(offset);
  return reg < kMaskBase ? kNoRegister : uint8_t(reg - kMaskBase);
}

std::string registerName(int reg) {
  if (reg < kVectorBase)
    return absl::StrCat("s", reg);
  if (reg < kMaskBase)
    return absl::StrCat("v", reg - kVectorBase);
  return absl::StrCat("m", reg - kMaskBase);
}

} // namespace systole::emulation
