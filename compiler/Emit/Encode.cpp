// Encodes scheduled routines and fills the tables of the program's header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/CodeLayout.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Emit/Overlays.h"
#include "compiler/Emit/SpillFrames.h"
#include "dialects/Machine/Program/LocationTable.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {
namespace {

// The region field of loads and stores limits the number of regions.
constexpr int kMaxNamed = 4096;

class Encoder {
public:
  Encoder(const Module &module, const Target &target, program::ProgramHeader header,
          bool startsOverlaysEarly, CodeShortage *shortage)
      : module(module), target(target), limits(target.limits()),
        startsOverlaysEarly(startsOverlaysEarly), shortage(shortage) {
    program.header = std::move(header);
    locations = LocationTable(program.header);
  }

  absl::StatusOr<Program> run() {
    program.header.set_target(target.name());
    program.header.set_target_hash(target.hash());
    program.header.set_cores(target.cores());
    setFormat(program.header, limits.bundle);
    regions();
    descriptors();
    if (absl::Status s = spillFrames(); !s.ok())
      return s;
    if (absl::Status s = orderRoutines(); !s.ok())
      return s;
    if (absl::Status s = encode(); !s.ok())
      return s;
    return std::move(program);
  }

private:
  void regions() {
    program.header.clear_regions();
    for (const RegionInfo &r : module.regions)
      addRegion(r.name, program::Space(r.space), r.base, r.size, r.owner);
  }

  int32_t addRegion(const std::string &name, program::Space space, int64_t base, int64_t size,
                    const std::string &owner) {
    program::Region *region = program.header.add_regions();
    region->set_name(name);
    region->set_space(space);
    region->set_owner(owner);
    setExtent(*region, base, size);
    return program.header.regions_size() - 1;
  }

  void setExtent(program::Region &region, int64_t base, int64_t size) {
    region.set_base(base);
    region.set_size(size);
    program::Space space = region.space();
    auto grow = [&](int64_t peak) { return std::max(peak, base + size); };
    if (space == program::HBM)
      program.header.set_hbm_rows(grow(program.header.hbm_rows()));
    else if (space == program::VMEM)
      program.header.set_vmem_rows(grow(program.header.vmem_rows()));
    else if (space == program::SMEM)
      program.header.set_smem_words(grow(program.header.smem_words()));
    else if (space == program::PINNED)
      program.header.set_pinned_rows(grow(program.header.pinned_rows()));
  }

  /// The region of the spill frames that start at `base`, shared by all routines at the same call
  /// depth: an existing region of the table, or a new one.
  int32_t spillRegion(program::Space space, int64_t base, int64_t size) {
    if (size == 0)
      return 0;
    for (int i = 0; i < program.header.regions_size(); ++i) {
      program::Region &region = *program.header.mutable_regions(i);
      if (region.name() != "spill" || region.space() != space ||
          (region.size() != 0 && region.base() != base))
        continue;
      setExtent(region, base, std::max(size, region.size()));
      return i;
    }
    return addRegion("spill", space, base, size, "");
  }

  void descriptors() {
    for (const DescriptorInfo &d : module.descriptors) {
      program::Descriptor *out = program.header.add_descriptors();
      assert(d.counts.size() == d.srcStrides.size() && d.counts.size() == d.dstStrides.size() &&
             "a count and two strides for each dimension");
      out->set_src(program::Space(d.src));
      out->set_dst(program::Space(d.dst));
      out->set_chunk(d.chunk);
      out->mutable_counts()->Add(d.counts.begin(), d.counts.end());
      out->mutable_src_strides()->Add(d.srcStrides.begin(), d.srcStrides.end());
      out->mutable_dst_strides()->Add(d.dstStrides.begin(), d.dstStrides.end());
      out->set_arrival_flag(int32_t(d.arrivalFlag + 1));
      out->set_counts_words(d.countsWords);
    }
  }

  /// Where `rows` rows of spill frames begin: behind all regions of VMEM if they fit there, else
  /// between two, since what kernels hand on lies near its end.
  int64_t spillRowsFrom(int64_t rows) const {
    const int64_t end = program.header.vmem_rows();
    if (end + rows <= target.vmemRows())
      return end;
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const program::Region &region : program.header.regions())
      if (region.space() == program::VMEM && region.size() > 0)
        taken.emplace_back(region.base(), region.base() + region.size());
    llvm::sort(taken);
    int64_t from = 0;
    for (auto [first, last] : taken) {
      if (from + rows <= first)
        return from;
      from = std::max(from, last);
    }
    return end;
  }

  absl::Status spillFrames() {
    absl::StatusOr<SpillFrames> frames = placeSpillFrames(module);
    if (!frames.ok())
      return frames.status();
    const std::vector<SpillFrames::Extent> &base = frames->base;
    int64_t rowsFrom = spillRowsFrom(frames->size.rows), wordsFrom = program.header.smem_words();
    for (size_t r = 0; r < module.functions.size(); ++r) {
      const Function &f = module.functions[r];
      spillRegions.push_back({spillRegion(program::VMEM, rowsFrom + base[r].rows, f.spillRows),
                              spillRegion(program::SMEM, wordsFrom + base[r].words, f.spillWords)});
      if (std::max(spillRegions[r].first, spillRegions[r].second) >= kMaxNamed)
        return absl::ResourceExhaustedError(
            absl::StrCat("spilled registers need more than ", kMaxNamed,
                         " regions; loads and stores can name no others"));
    }
    if (program.header.vmem_rows() > target.vmemRows()) {
      if (shortage)
        shortage->spillRows = frames->size.rows;
      return absl::ResourceExhaustedError(
          absl::StrCat("VMEM has ", target.vmemRows(), " rows; the program uses ", rowsFrom,
                       " and spilled registers ", program.header.vmem_rows() - rowsFrom));
    }
    if (program.header.smem_words() > target.smemWords())
      return absl::ResourceExhaustedError(
          absl::StrCat("SMEM has ", target.smemWords(), " words; the program uses ", wordsFrom,
                       " and spilled registers ", program.header.smem_words() - wordsFrom));
    return absl::OkStatus();
  }

  RoutineCode layOutRoutine(uint32_t r, const OverlayUses *overlays) const {
    CodeLayoutOptions options;
    options.entry = r == module.main;
    options.spillRowsRegion = spillRegions[r].first;
    options.spillWordsRegion = spillRegions[r].second;
    options.overlays = overlays;
    return layOutCode(module.functions[r], limits, options);
  }

  InstructionMemory instructionMemory() const {
    const auto &description = target.description();
    const auto bundleBytes = double(limits.bundle.bytes());
    const double channel = bundleBytes / target.hbmBytesPerCycle();
    return {limits.instructionMemoryBundles, int64_t(description.dma_latency_cycles().value()),
            std::max(channel, bundleBytes / description.overlay_bytes_per_cycle().value()),
            channel};
  }

  /// Orders the routines in the code by overlay, the entry first.
  absl::Status orderRoutines() {
    for (uint32_t r = 0; r < module.functions.size(); ++r)
      routines.push_back(layOutRoutine(r, nullptr));
    absl::StatusOr<OverlayPlan> plan =
        planOverlays(module, routines, instructionMemory(), startsOverlaysEarly);
    if (!plan.ok()) {
      if (shortage && absl::IsResourceExhausted(plan.status()))
        for (const RoutineCode &routine : routines)
          shortage->bundles = std::max(shortage->bundles, int64_t(routine.bundles.size()));
      return plan.status();
    }
    const bool hasOverlays = plan->overlays.size() > 1;
    if (hasOverlays)
      routines[module.main] = layOutRoutine(module.main, &plan->uses);
    begin.assign(routines.size(), 0);
    int64_t next = 0;
    for (Overlay &overlay : plan->overlays) {
      std::stable_partition(overlay.routines.begin(), overlay.routines.end(),
                            [&](uint32_t r) { return r == module.main; });
      int64_t first = next;
      for (uint32_t r : overlay.routines) {
        order.push_back(r);
        begin[r] = next;
        next += int64_t(routines[r].bundles.size());
      }
      if (!hasOverlays)
        continue;
      setRange(*program.header.add_overlays(), first, next);
      program.header.add_overlay_addresses(overlay.address);
    }
    assert(order.size() == routines.size() && "every routine has one place");
    return absl::OkStatus();
  }

  static void setRange(program::Range &range, int64_t from, int64_t to) {
    range.set_begin(from);
    range.set_end(to);
  }

  int32_t location(const std::string &source, const std::string &user,
                   const std::string &nameStack) {
    program::Location location;
    location.set_source(source);
    location.set_user(user);
    location.set_name_stack(nameStack);
    return locations.add(program.header, location);
  }

  /// `partOf` is the entry that includes this range, or -1.
  void addKernel(int32_t kernel, int64_t from, int64_t to, int32_t partOf = -1) {
    assert(size_t(kernel) < module.kernels.size() && "no such kernel");
    assert(from < to && "a kernel has bundles");
    assert(partOf < program.header.kernels_size() && "callers come before their callees");
    const KernelInfo &info = module.kernels[size_t(kernel)];
    program::Kernel *out = program.header.add_kernels();
    out->set_name(info.name);
    out->set_location(location(info.source, info.user, info.nameStack));
    out->set_part_of(partOf + 1);
    out->set_kind(info.kind);
    out->set_flops(info.flops);
    out->set_bytes(info.bytes);
    out->set_estimated_cycles(info.estimate);
    out->set_step(info.step);
    setRange(*out->mutable_bundles(), from, to);
  }

  /// A routine with a kernel of its own has an entry; a routine with a single caller is a part of
  /// the caller's entry. A routine with several callers has none: its cycles count for its callers.
  void addKernels() {
    constexpr int32_t kSeveral = -2;
    struct Caller {
      int32_t entry, kernel;
    };
    std::map<uint32_t, Caller> callers; // of each callee, if it is the only one
    for (uint32_t r : order) {
      const RoutineCode &code = routines[r];
      if (module.functions[r].kernel >= 0)
        addKernel(module.functions[r].kernel, begin[r], begin[r] + int64_t(code.bundles.size()));
      for (const CallSite &call : code.calls) {
        if (call.kernel < 0)
          continue;
        auto [caller, isFirst] =
            callers.try_emplace(call.callee, Caller{program.header.kernels_size(), call.kernel});
        if (!isFirst)
          caller->second.entry = kSeveral;
        addKernel(call.kernel, begin[r] + call.bundle, begin[r] + call.bundle + 1);
      }
    }
    for (auto [callee, caller] : callers)
      if (caller.entry != kSeveral && module.functions[callee].kernel < 0)
        addKernel(caller.kernel, begin[callee],
                  begin[callee] + int64_t(routines[callee].bundles.size()), caller.entry);
  }

  absl::Status encode() {
    for (uint32_t r = 0; r < routines.size(); ++r) {
      program::Routine *out = program.header.add_routines();
      out->set_name(module.functions[r].name);
      setRange(*out->mutable_bundles(), begin[r], begin[r] + int64_t(routines[r].bundles.size()));
    }
    program.header.set_entry(int32_t(module.main));
    addKernels();
    for (uint32_t r : order) {
      const RoutineCode &code = routines[r];
      assert(int64_t(program.code.size()) == begin[r] && "routines are encoded where they lie");
      for (size_t b = 0; b < code.bundles.size(); ++b) {
        auto encoded = isa::encode(code.bundles[b], limits.bundle);
        if (!encoded.ok())
          return absl::InternalError(absl::StrCat("routine @", module.functions[r].name,
                                                  ", bundle ", b, ": ",
                                                  encoded.status().message()));
        program.code.push_back(*encoded);
        addSource(code.locs[b], begin[r] + int64_t(b));
      }
    }
    return absl::OkStatus();
  }

  void addSource(uint32_t loc, int64_t bundle) {
    if (loc == kNone) {
      lastLoc = kNone;
      return;
    }
    assert(loc < module.sources.size() && "no such source line");
    if (loc == lastLoc) {
      assert(program.header.sources(program.header.sources_size() - 1).bundles().end() == bundle &&
             "bundles of one line that follow one another are one range");
      auto *range = program.header.mutable_sources(program.header.sources_size() - 1);
      range->mutable_bundles()->set_end(bundle + 1);
      return;
    }
    lastLoc = loc;
    program::SourceRange *range = program.header.add_sources();
    range->set_location(location(module.sources[loc], "", ""));
    setRange(*range->mutable_bundles(), bundle, bundle + 1);
  }

  const Module &module;
  const Target &target;
  Limits limits;
  bool startsOverlaysEarly;
  CodeShortage *shortage;
  Program program;
  std::vector<std::pair<int32_t, int32_t>> spillRegions; // rows, words; by routine
  std::vector<RoutineCode> routines;
  std::vector<int64_t> begin; // first bundle of each routine
  std::vector<uint32_t> order;
  LocationTable locations;
  uint32_t lastLoc = kNone;
};

} // namespace

absl::StatusOr<Program> encodeModule(const Module &module, const Target &target,
                                     program::ProgramHeader header, bool startsOverlaysEarly,
                                     CodeShortage *shortage) {
  return Encoder(module, target, std::move(header), startsOverlaysEarly, shortage).run();
}

} // namespace systole::machine
