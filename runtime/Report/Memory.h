// HBM over the time of a program: the buffers that are live at each kernel, and at the peak.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_MEMORY_H
#define SYSTOLE_RUNTIME_REPORT_MEMORY_H

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/Support/JSON.h"

namespace systole {

namespace program {
class ProgramHeader;
} // namespace program

struct BufferReport {
  std::string name;                          // "params['w']", "out0", "value", ...
  std::string source, userSource, nameStack; // as KernelReport's
  int64_t bytes = 0;
  int64_t paddingBytes = 0;   // of `bytes`
  bool permanent = false;     // always live: constants, and arguments that stay
  int64_t begin = 0, end = 0; // first and last step, of the others
};

// A kernel's call, in program order; those in loops once.
struct MemoryStep {
  int64_t step = 0;
  std::string kernel, nameStack;
  int64_t liveBytes = 0;
};

struct MemoryReport {
  std::vector<BufferReport> buffers; // of HBM, the largest first
  std::vector<MemoryStep> steps;
  size_t peak = 0; // index of the step with the most live bytes; 0 if there is none

  bool isLiveAtPeak(const BufferReport &buffer) const;
};

// From the static plan in a program's header.
MemoryReport memoryReport(const program::ProgramHeader &header);

llvm::json::Object toJson(const MemoryReport &memory);

// The buffers that are live at the peak as a table, ending in a line break; "" without buffers.
std::string toText(const MemoryReport &memory);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_MEMORY_H
