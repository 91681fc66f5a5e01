// The module of a model that a kernel belongs to, and the cost of each module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_MODULES_H
#define SYSTOLE_RUNTIME_REPORT_MODULES_H

#include <string>
#include <vector>

#include "runtime/Report/Report.h"

namespace systole {

struct ModulePath {
  std::string module;    // "ResNet50/stem", or ""
  bool backward = false; // below a transpose(...) mark
};

// Of a name stack, "jit(step)/transpose(jvp(ResNet50))/stem/conv_general_dilated": without the
// operation at its end, transformations, and JAX's own scopes (jit, while, body).
ModulePath modulePath(llvm::StringRef nameStack);

struct ModuleReport {
  std::string module;
  int64_t calls = 0;
  int64_t forwardCycles = 0, backwardCycles = 0; // as KernelReport's
  int64_t flops = 0, bytes = 0;

  int64_t cycles() const { return forwardCycles + backwardCycles; }
};

// The kernels by the first `depth` parts of their modules (0 for all), the costliest first.
std::vector<ModuleReport> byModule(const Report &report, int depth = 0);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_MODULES_H
