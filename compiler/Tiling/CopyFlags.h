// The sync flags of copies that are in flight while kernels run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_COPYFLAGS_H
#define SYSTOLE_COMPILER_TILING_COPYFLAGS_H

#include "dialects/Kernel/SyncFlags.h"

#include <bitset>
#include <cassert>

namespace systole {

/// Gives each copy a flag that no other copy in flight has.
class CopyFlags {
public:
  int take() {
    assert(!taken.all() && "planning has bounded the copies in flight");
    int number = 0;
    while (taken[number])
      ++number;
    taken.set(number);
    return kernel::kFirstCopyFlag + number;
  }
  /// Takes the flag that planning gave to a copy.
  void take(int flag) {
    assert(!taken[flag - kernel::kFirstCopyFlag] && "planning has chosen a flag of its own");
    taken.set(flag - kernel::kFirstCopyFlag);
  }
  /// Nothing is in flight on `flag` any more.
  void release(int flag) { taken.reset(flag - kernel::kFirstCopyFlag); }

private:
  std::bitset<kernel::kCopyFlags> taken;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_COPYFLAGS_H
