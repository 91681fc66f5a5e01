// HBM over the time of a program: the buffers that are live at each kernel, and at the peak.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Memory.h"

#include <algorithm>
#include <map>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Report/Table.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

constexpr size_t kShown = 10;

std::vector<MemoryStep> stepsOf(const program::ProgramHeader &header) {
  std::map<int64_t, MemoryStep> steps;
  for (const program::Kernel &kernel : header.kernels())
    if (kernel.step() > 0)
      steps.try_emplace(kernel.step(),
                        MemoryStep{kernel.step(), kernel.name(),
                                   locationOf(header, kernel.location()).name_stack(), 0});
  std::vector<MemoryStep> result;
  for (auto &[number, step] : steps)
    result.push_back(std::move(step));
  return result;
}

std::vector<BufferReport> buffersOf(const program::ProgramHeader &header) {
  std::vector<BufferReport> buffers;
  for (const program::Allocation &allocation : header.allocations()) {
    if (allocation.space() != program::HBM)
      continue;
    const program::Location &from = locationOf(header, allocation.location());
    BufferReport &buffer = buffers.emplace_back();
    buffer.name = allocation.name();
    buffer.source = from.source();
    buffer.userSource = from.user();
    buffer.nameStack = from.name_stack();
    buffer.bytes = allocation.size() * isa::kRowBytes;
    buffer.paddingBytes = std::max<int64_t>(0, buffer.bytes - allocation.payload_bytes());
    buffer.begin = allocation.begin();
    buffer.end = allocation.end();
    buffer.permanent = buffer.begin == 0 && buffer.end == 0;
  }
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](auto &a, auto &b) { return a.bytes > b.bytes; });
  return buffers;
}

} // namespace

MemoryReport memoryReport(const program::ProgramHeader &header) {
  MemoryReport memory{buffersOf(header), stepsOf(header)};
  int64_t live = 0;
  std::map<int64_t, int64_t> changes; // by the step from which they apply
  for (const BufferReport &buffer : memory.buffers) {
    if (buffer.permanent) {
      live += buffer.bytes;
      continue;
    }
    changes[buffer.begin] += buffer.bytes;
    changes[buffer.end + 1] -= buffer.bytes;
  }
  auto change = changes.begin();
  for (MemoryStep &step : memory.steps) {
    for (; change != changes.end() && change->first <= step.step; ++change)
      live += change->second;
    step.liveBytes = live;
  }
  auto most = std::max_element(memory.steps.begin(), memory.steps.end(),
                               [](auto &a, auto &b) { return a.liveBytes < b.liveBytes; });
  memory.peak = size_t(most - memory.steps.begin()) % std::max<size_t>(1, memory.steps.size());
  return memory;
}

bool MemoryReport::isLiveAtPeak(const BufferReport &buffer) const {
  if (buffer.permanent || steps.empty())
    return buffer.permanent;
  const int64_t when = steps[peak].step;
  return buffer.begin <= when && when <= buffer.end;
}

llvm::json::Object toJson(const MemoryReport &memory) {
  llvm::json::Array buffers, steps;
  for (const BufferReport &buffer : memory.buffers)
    buffers.push_back(llvm::json::Object{{"name", buffer.name},
                                         {"source", buffer.source},
                                         {"user_source", buffer.userSource},
                                         {"name_stack", buffer.nameStack},
                                         {"bytes", buffer.bytes},
                                         {"padding_bytes", buffer.paddingBytes},
                                         {"permanent", buffer.permanent},
                                         {"begin", buffer.begin},
                                         {"end", buffer.end}});
  for (const MemoryStep &step : memory.steps)
    steps.push_back(llvm::json::Object{{"step", step.step},
                                       {"kernel", step.kernel},
                                       {"name_stack", step.nameStack},
                                       {"live_bytes", step.liveBytes}});
  return llvm::json::Object{
      {"buffers", std::move(buffers)}, {"steps", std::move(steps)}, {"peak", int64_t(memory.peak)}};
}

std::string toText(const MemoryReport &memory) {
  int64_t bytes = 0, padding = 0;
  size_t live = 0;
  Table table({"buffer", "bytes", "padding", "live", "source", "name stack"}, 3);
  for (const BufferReport &buffer : memory.buffers) {
    if (!memory.isLiveAtPeak(buffer))
      continue;
    bytes += buffer.bytes;
    padding += buffer.paddingBytes;
    if (++live > kShown)
      continue;
    table.add({buffer.name, scaled(buffer.bytes, "B"), percent(buffer.paddingBytes, buffer.bytes),
               buffer.permanent ? "always" : grouped(buffer.begin) + " to " + grouped(buffer.end),
               buffer.userSource.empty() ? buffer.source : buffer.userSource, buffer.nameStack});
  }
  if (live == 0)
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "\nHBM at its fullest: " << scaled(bytes, "B") << " live, " << percent(padding, bytes)
      << " of it padding";
  if (!memory.steps.empty()) {
    const MemoryStep &step = memory.steps[memory.peak];
    out << ", in step " << grouped(step.step) << ", " << step.kernel;
  }
  out << '\n';
  table.print(out);
  if (live > kShown)
    out << "and " << live - kShown << " more\n";
  return text;
}

} // namespace systole
