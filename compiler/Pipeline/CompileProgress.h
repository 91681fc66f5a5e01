// The progress of a compilation, for a thread that monitors it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_COMPILEPROGRESS_H
#define SYSTOLE_COMPILER_PIPELINE_COMPILEPROGRESS_H

#include <mutex>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace systole {

// Thread-safe.
class CompileProgress {
public:
  void setModule(llvm::StringRef name) {
    std::lock_guard lock(mutex);
    module = name.str();
  }
  void setPass(llvm::StringRef argument) {
    std::lock_guard lock(mutex);
    pass = argument.str();
  }

  // "@jit_step, systole-fuse", as far as known.
  std::string toString() const {
    std::lock_guard lock(mutex);
    return (module.empty() ? "" : "@" + module) + (module.empty() || pass.empty() ? "" : ", ") +
           pass;
  }

private:
  mutable std::mutex mutex;
  std::string module, pass;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_COMPILEPROGRESS_H
