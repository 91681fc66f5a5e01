// Collection of a core's counts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Statistics.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace systole::emulation {

void Statistics::reset(bool traced, bool copiesCounted) {
  executions.assign(code->blocks.size(), 0);
  kernels.assign(code->kernelFirst.size() + 1, {});
  copies.clear();
  countsCopies = copiesCounted;
  tracing = traced;
  trace.clear();
  tracedKernel = -1;
  tracedSince = 0;
  plannedInstructions = otherInstructions = 0;
}

void Statistics::traceKernel(int kernel, int64_t now) {
  if (!tracing || kernel == tracedKernel)
    return;
  if (tracedKernel >= 0)
    addTrace({TraceEvent::Kind::Kernel, core, tracedKernel, tracedSince, now, 0});
  tracedKernel = kernel;
  tracedSince = now;
}

void Statistics::countCopy(int kernel, int region, bool reads, int64_t bytes) {
  if (!countsCopies)
    return;
  CopyStats &copy =
      copies.try_emplace({kernel, region, reads}, CopyStats{kernel, region, reads}).first->second;
  ++copy.copies;
  copy.bytes += bytes;
}

void Statistics::collect(RunStats &stats) const {
  std::vector<KernelStats> mine = kernels;
  for (size_t i = 0; i < code->blocks.size(); ++i) {
    const Block &b = code->blocks[i];
    if (b.kernel < 0)
      continue;
    KernelStats &kernel = mine[size_t(b.kernel)];
    kernel.use.add(b.use, executions[i]);
    kernel.cycles += b.cycles * executions[i];
  }
  for (size_t i = 0; i < code->kernelFirst.size(); ++i)
    if (code->kernelFirst[i] >= 0)
      mine[i].calls += executions[size_t(code->kernelFirst[i])];
  stats.kernels.resize(code->kernelFirst.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    (i < stats.kernels.size() ? stats.kernels[i] : stats.outside).add(mine[i]);
    stats.total.add(mine[i]);
  }
  for (const auto &[place, copy] : copies)
    stats.copies.push_back(copy);
  stats.trace.insert(stats.trace.end(), trace.begin(), trace.end());
  stats.plannedInstructions += plannedInstructions;
  stats.otherInstructions += otherInstructions;
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

// Numbers of a copy's counts, and of an event of the trace.
static constexpr size_t kCopyValues = 5, kEventValues = 7;
static constexpr int64_t kMostTotal = int64_t(1) << 60;

void Statistics::describe(ArchiveWriter &archive) const {
  archive.value("executions", executions);
  static_assert(sizeof(KernelStats) % sizeof(int64_t) == 0 &&
                std::has_unique_object_representations_v<KernelStats>);
  archive.bytes("kernels", kernels.data(), kernels.size() * sizeof(KernelStats));
  std::vector<int64_t> values;
  for (const auto &[place, copy] : copies)
    values.insert(values.end(), {copy.kernel, copy.region, copy.reads, copy.copies, copy.bytes});
  archive.value("copies", values);
  values.clear();
  for (const TraceEvent &event : trace)
    values.insert(values.end(), {int64_t(event.kind), event.core, event.kernel, event.begin,
                                 event.end, event.bytes, event.hbmBytes});
  archive.value("trace", values);
  archive.value("tracedKernel", tracedKernel);
  archive.value("tracedSince", tracedSince);
}

void Statistics::describe(ArchiveReader &archive) {
  archive.bytes("executions", executions.data(), executions.size() * sizeof(int64_t));
  archive.bytes("kernels", kernels.data(), kernels.size() * sizeof(KernelStats));
  std::vector<int64_t> values;
  archive.value("copies", values);
  for (size_t i = 0; i + kCopyValues <= values.size(); i += kCopyValues) {
    const int64_t *v = &values[i];
    const CopyStats copy{int(v[0]), int(v[1]), v[2] != 0, v[3], v[4]};
    copies.insert_or_assign({copy.kernel, copy.region, copy.reads}, copy);
  }
  values.clear();
  archive.value("trace", values);
  for (size_t i = 0; i + kEventValues <= values.size(); i += kEventValues) {
    const int64_t *v = &values[i];
    trace.push_back({TraceEvent::Kind(v[0]), int(v[1]), int(v[2]), v[3], v[4], v[5], v[6]});
  }
  archive.value("tracedKernel", tracedKernel);
  archive.value("tracedSince", tracedSince);
}

bool Statistics::isPossible(int64_t now, const program::ProgramHeader &header) const {
  auto isKernel = [&](int kernel) { return kernel >= -1 && kernel < header.kernels_size(); };
  // So that their sums over kernels can be represented.
  const int64_t most = kMostTotal / int64_t(kernels.size());
  auto isCount = [&](int64_t count) { return count >= 0 && count <= most; };
  auto isCycle = [&](int64_t cycle) { return cycle >= 0 && cycle <= now; };
  for (size_t i = 0; i < executions.size(); ++i)
    if (executions[i] < 0 ||
        __int128(executions[i]) * code->blocks[i].cycles > now + code->blocks[i].cycles)
      return false;
  for (const KernelStats &kernel : kernels) {
    std::array<int64_t, sizeof(KernelStats) / sizeof(int64_t)> counts;
    std::memcpy(counts.data(), &kernel, sizeof(kernel));
    if (!std::ranges::all_of(counts, isCount))
      return false;
  }
  for (const auto &[place, copy] : copies)
    if (!isKernel(copy.kernel) || copy.region < 0 || copy.region >= header.regions_size() ||
        !isCount(copy.copies) || !isCount(copy.bytes))
      return false;
  for (const TraceEvent &event : trace)
    if (event.kind > TraceEvent::Kind::Wait || event.core < 0 || event.core >= header.cores() ||
        !isKernel(event.kernel) || event.begin > event.end || event.begin < 0 ||
        !isCount(event.end) || !isCount(event.bytes) || !isCount(event.hbmBytes))
      return false;
  return isKernel(tracedKernel) && isCycle(tracedSince);
}

} // namespace systole::emulation
