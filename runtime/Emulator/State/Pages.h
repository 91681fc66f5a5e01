// Which pages of a memory are in use, and which have changed since its contents were last copied.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::emulation {

class Pages {
public:
  static constexpr size_t kBytes = 64 * 1024;

  // All pages of a memory are unused, which means zero.
  void reset(size_t bytes) { flags.assign((bytes + kBytes - 1) / kBytes, 0); }
  size_t size() const { return flags.size(); }

  void write(size_t page) { flags[page] = kUsed | kChanged; }
  void release(size_t page) { flags[page] = 0; }
  bool isUsed(size_t page) const { return flags[page] & kUsed; }
  bool hasChanged(size_t page) const { return flags[page] & kChanged; }
  void setUnchanged(size_t page) { flags[page] &= kUsed; }

private:
  static constexpr uint8_t kUsed = 1, kChanged = 2;

  std::vector<uint8_t> flags;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H
