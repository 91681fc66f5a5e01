// Runs as lines of events and counters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/DeviceProfile.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/Report/TraceEvents.h"

namespace systole {
namespace {

// "file.py:12" of "file.py:12:3": XProf's form.
std::string withoutColumn(const std::string &source) {
  const std::vector<std::string> parts = absl::StrSplit(source, ':');
  return parts.size() < 3 ? source : absl::StrCat(parts[0], ":", parts[1]);
}

} // namespace

DeviceProfile::DeviceProfile(int device, const Target &target, int64_t startNs) : target(target) {
  xplane.set_id(device);
  xplane.set_name(absl::StrCat("/device:TPU:", device));
  const target::TargetDescription &description = target.description();
  const int perChip = std::max(1, int(description.cores_per_chip().value()));
  xplane::CoreDetails core;
  core.set_device_ordinal(uint32_t(device));
  core.set_global_core_id(uint32_t(device));
  core.set_core_num(uint32_t(device % perChip));
  core.set_local_chip_id(uint32_t(device / perChip));
  core.set_global_chip_id(uint32_t(device / perChip));
  addStat(xplane, "core_details", core);
  addStat(xplane, "device_type_string", description.display_name());
  addStat(xplane, "peak_teraflops_per_second",
          target.peakFlopsPerCycle() * target.clockHz() * 1e-12);
  addStat(xplane, "peak_hbm_bw_gigabytes_per_second",
          target.hbmBytesPerCycle() * target.clockHz() * 1e-9);
  line(kSteps, "Steps").set_timestamp_ns(startNs);
  line(kModules, "XLA Modules");
  line(kOps, "XLA Ops");
  line(kWaits, "Waits");
  line(kCounters, "_counters_");
}

int64_t DeviceProfile::picoseconds(int64_t cycles) const {
  return std::llround(target.seconds(double(cycles)) * 1e12);
}

xplane::XLine &DeviceProfile::line(int number, const std::string &name) {
  while (xplane.lines_size() <= number) {
    xplane::XLine &added = *xplane.add_lines();
    added.set_id(xplane.lines_size());
    added.set_name(name);
    added.set_timestamp_ns(xplane.lines(kSteps).timestamp_ns());
  }
  return *xplane.mutable_lines(number);
}

xplane::XEvent &DeviceProfile::addEvent(int number, int64_t metadata, int64_t offset,
                                        int64_t duration) {
  xplane::XEvent &event = *xplane.mutable_lines(number)->add_events();
  event.set_metadata_id(metadata);
  event.set_offset_ps(offset);
  event.set_duration_ps(duration);
  return event;
}

int64_t DeviceProfile::statId(const std::string &name) {
  int64_t &id = statIds[name];
  if (id == 0) {
    id = int64_t(statIds.size());
    xplane::XStatMetadata &metadata = (*xplane.mutable_stat_metadata())[id];
    metadata.set_id(id);
    metadata.set_name(name);
  }
  return id;
}

template <typename Message, typename Value>
void DeviceProfile::addStat(Message &to, const std::string &name, Value value) {
  xplane::XStat &stat = *to.add_stats();
  stat.set_metadata_id(statId(name));
  if constexpr (std::is_same_v<Value, double>)
    stat.set_double_value(value);
  else if constexpr (std::is_base_of_v<google::protobuf::MessageLite, Value>)
    stat.set_bytes_value(value.SerializeAsString());
  else if constexpr (std::is_same_v<Value, uint64_t>)
    stat.set_uint64_value(value);
  else if constexpr (std::is_integral_v<Value>)
    stat.set_int64_value(value);
  else
    stat.set_str_value(value);
}

xplane::XEventMetadata &DeviceProfile::newMetadata(const std::string &name) {
  const int64_t id = int64_t(xplane.event_metadata_size()) + 1;
  xplane::XEventMetadata &metadata = (*xplane.mutable_event_metadata())[id];
  metadata.set_id(id);
  metadata.set_name(name);
  return metadata;
}

DeviceProfile::ProgramEvents &
DeviceProfile::eventsOf(const std::shared_ptr<const Program> &program) {
  ProgramEvents &events = programs[program];
  if (events.id == 0) {
    events.id = int64_t(programs.size());
    const std::string &module = program->header.module();
    xplane::XEventMetadata &metadata =
        newMetadata(absl::StrCat(module.empty() ? "main" : asUtf8(module), "(", events.id, ")"));
    addStat(metadata, "program_id", uint64_t(events.id));
    events.module = metadata.id();
  }
  return events;
}

int64_t DeviceProfile::metadataOf(ProgramEvents &events, const program::ProgramHeader &header,
                                  const TraceEvent &event) {
  int64_t &id = events.events[{event.kind, event.kernel}];
  if (id != 0)
    return id;
  const std::string title = titleOf(header, event);
  xplane::XEventMetadata &metadata = newMetadata(title);
  metadata.set_display_name(title);
  id = metadata.id();
  addStat(metadata, "program_id", uint64_t(events.id));
  const program::Kernel *kernel = kernelOf(header, event);
  if (!kernel)
    return id;
  const program::Location &from = locationOf(header, kernel->location());
  if (!from.name_stack().empty())
    addStat(metadata, "tf_op", asUtf8(from.name_stack()));
  if (const std::string &line = shownLine(from); !line.empty()) {
    addStat(metadata, "source", withoutColumn(asUtf8(line)));
    addStat(metadata, "source_stack",
            asUtf8(from.user().empty() ? line : absl::StrCat(from.user(), "\n", from.source())));
  }
  if (event.kind == TraceEvent::Kind::Kernel) {
    addStat(metadata, "symbol_id", uint64_t(event.kernel + 1));
    addStat(metadata, "hlo_category", asUtf8(kernel->kind()));
    addStat(metadata, "flops", uint64_t(std::max<int64_t>(kernel->flops(), 0)));
    addStat(metadata, "bytes_accessed", uint64_t(std::max<int64_t>(kernel->bytes(), 0)));
  }
  return id;
}

void DeviceProfile::add(std::shared_ptr<const Program> program, const RunStats &stats,
                        int64_t hbmBytes, int core) {
  const program::ProgramHeader &header = program->header;
  ProgramEvents &events = eventsOf(program);
  const int64_t cycles =
      size_t(core) < stats.coreCycles.size() ? stats.coreCycles[size_t(core)] : stats.cycles;
  const int64_t run = runs++, duration = picoseconds(cycles);
  addEvent(kSteps, newMetadata(absl::StrCat(run)).id(), now, duration);
  addEvent(kModules, events.module, now, duration);
  for (Line number : {kSteps, kModules}) {
    xplane::XEvent &event = *xplane.mutable_lines(number)->mutable_events()->rbegin();
    addStat(event, "group_id", run);
    addStat(event, number == kSteps ? "step_num" : "run_id", run);
  }
  addCounter(memory, "HBM in use", "bytes", now, double(hbmBytes));

  std::vector<TraceEvent> shown = shownEvents(header, stats);
  std::erase_if(shown, [&](const TraceEvent &event) { return event.core != core; });
  CopyLines copies;
  for (const TraceEvent &event : shown) {
    int number = event.kind == TraceEvent::Kind::Kernel ? kOps : kWaits;
    if (event.kind == TraceEvent::Kind::Copy) {
      const int copyLine = copies.lineOf(event);
      number = kCopies + copyLine;
      line(number, absl::StrCat("Copies ", copyLine));
    }
    const int64_t begin = picoseconds(event.begin), end = picoseconds(event.end);
    xplane::XEvent &added =
        addEvent(number, metadataOf(events, header, event), now + begin, end - begin);
    if (event.kind == TraceEvent::Kind::Kernel)
      addStat(added, "group_id", run);
    if (event.kind == TraceEvent::Kind::Copy)
      addStat(added, "bytes_accessed", uint64_t(event.bytes));
  }
  addCounters(header, shown, stats, now + duration);
  // The program has its devices until the last core is done. Separate from the next run: readers
  // assign events that begin at the end of a step to that step.
  now += picoseconds(stats.cycles) + 1;
}

void DeviceProfile::addCounter(int64_t &metadata, const char *name, const char *unit,
                               int64_t offset, double value) {
  if (metadata == 0)
    metadata = newMetadata(name).id();
  addStat(addEvent(kCounters, metadata, offset, 0), unit, value);
}

// At the begin of each kernel its averages: HBM bandwidth of this call, MXU utilization of all
// its calls on all cores.
void DeviceProfile::addCounters(const program::ProgramHeader &header,
                                const std::vector<TraceEvent> &shown, const RunStats &stats,
                                int64_t end) {
  // Ranges of a kernel are added to the entry that they are part of.
  std::vector<KernelStats> kernels = stats.kernels;
  for (int i = 0; i < header.kernels_size() && size_t(i) < kernels.size(); ++i)
    if (const int whole = header.kernels(i).part_of(); whole > 0)
      kernels[size_t(whole - 1)].add(stats.kernels[size_t(i)]);
  std::vector<const TraceEvent *> active;
  auto copy = shown.begin();
  for (const TraceEvent &kernel : shown) {
    if (kernel.kind != TraceEvent::Kind::Kernel)
      continue;
    for (; copy != shown.end() && copy->begin < kernel.end; ++copy)
      if (copy->kind == TraceEvent::Kind::Copy && copy->hbmBytes > 0)
        active.push_back(&*copy);
    std::erase_if(active, [&](const TraceEvent *each) { return each->end <= kernel.begin; });
    double bytes = 0;
    for (const TraceEvent *each : active) {
      const int64_t overlap = std::min(each->end, kernel.end) - std::max(each->begin, kernel.begin);
      bytes += double(each->hbmBytes) * double(overlap) / double(each->end - each->begin);
    }
    const int64_t offset = now + picoseconds(kernel.begin);
    addCounter(bandwidth, "HBM bandwidth", "GB/s", offset,
               bytes / target.seconds(double(kernel.end - kernel.begin)) * 1e-9);
    if (kernel.kernel >= 0 && size_t(kernel.kernel) < kernels.size()) {
      const KernelStats &all = kernels[size_t(kernel.kernel)];
      const double cycles = double(all.cycles) * target.mxusPerCore();
      addCounter(utilization, "MXU utilization", "%", offset,
                 cycles > 0 ? 100 * double(all.use.mxuCycles) / cycles : 0);
    }
  }
  if (bandwidth != 0)
    addCounter(bandwidth, "HBM bandwidth", "GB/s", end, 0);
  if (utilization != 0)
    addCounter(utilization, "MXU utilization", "%", end, 0);
}

} // namespace systole
