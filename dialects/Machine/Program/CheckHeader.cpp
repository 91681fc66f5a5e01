// Internal consistency of a program's header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/stubs/logging.h"

#include "dialects/Layout/LogTable.h"
#include "dialects/Machine/Program/LogMessages.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Program/Shards.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole {
namespace {

// Bounds that keep every later sum and product inside 64 bits. They are far
// above the range of instruction fields and the size of memories.
constexpr int64_t kMaxRows = int64_t(1) << 40;
constexpr int64_t kMaxWords = int64_t(1) << 48;
constexpr int kMaxRegions = 1 << 16;     // copies name them in registers
constexpr int kMaxDescriptors = 1 << 16; // of a descriptor field
constexpr int kMaxTraps = 1 << 12;       // of a trap code
constexpr int kMaxTransfers = 1 << 16;
constexpr int kMaxCores = 1 << 16;
constexpr int kMaxDmaLevels = 3;
constexpr int kLaneWords = isa::kLanes;

template <typename... Parts> absl::Status invalid(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat("program header: ", parts...));
}

// Whether every string is UTF-8, which protobuf requires of writers and readers.
bool isText(const program::ProgramHeader &header) {
  // Protobuf would log its own messages.
  google::protobuf::LogSilencer silence;
  return program::ProgramHeader().ParseFromString(header.SerializeAsString());
}

absl::Status checkLogMessages(const program::ProgramHeader &header) {
  if (header.log_messages_size() > kMostLogMessages)
    return invalid(header.log_messages_size(), " log messages; up to ", kMostLogMessages,
                   " are supported");
  for (int i = 0; i < header.log_messages_size(); ++i)
    if (absl::Status status = checkLogMessage(header.log_messages(i)); !status.ok())
      return invalid("log message ", i, " ", status.message());
  return absl::OkStatus();
}

struct HeaderChecker {
  const Program &program;
  const program::ProgramHeader &header = program.header;

  absl::Status run() {
    using Check = absl::Status (HeaderChecker::*)() const;
    for (Check check :
         {&HeaderChecker::totals, &HeaderChecker::regions, &HeaderChecker::descriptors,
          &HeaderChecker::code, &HeaderChecker::signature, &HeaderChecker::transfers,
          &HeaderChecker::constants, &HeaderChecker::allocations})
      if (auto status = (this->*check)(); !status.ok())
        return status;
    return absl::OkStatus();
  }

  absl::Status totals() const {
    if (!isText(header))
      return invalid("a name is not valid UTF-8");
    if (header.cores() < 1 || header.cores() > kMaxCores)
      return invalid(header.cores(), " cores");
    if (auto status = corePlaces(); !status.ok())
      return status;
    if (auto status = isa::checkFormat(formatOf(header)); !status.ok())
      return invalid(status.message());
    for (int64_t size :
         {header.hbm_rows(), header.vmem_rows(), header.smem_words(), header.pinned_rows()})
      if (size < 0 || size > kMaxRows)
        return invalid("memory use of ", size);
    if (header.flops() < 0)
      return invalid("negative flops");
    if (!std::isfinite(header.compile_seconds()) || header.compile_seconds() < 0)
      return invalid("compile_seconds is not a duration");
    if (header.traps_size() > kMaxTraps)
      return invalid(header.traps_size(), " trap messages; a trap names one of ", kMaxTraps);
    return checkLogMessages(header);
  }

  absl::Status corePlaces() const {
    const int slice = header.slice_cores();
    if (slice < 0 || slice > kMaxCores || (slice > 0 && slice < header.cores()))
      return invalid(header.cores(), " cores of a slice of ", slice);
    if (header.core_places_size() != 0 && header.core_places_size() != header.cores())
      return invalid(header.core_places_size(), " places of ", header.cores(), " cores");
    std::set<int32_t> taken;
    for (const int32_t place : header.core_places())
      if (place < 0 || place >= std::max(slice, header.cores()) || !taken.insert(place).second)
        return invalid("core ", place, " of a slice of ", std::max(slice, header.cores()),
                       " is named twice, or is not in it");
    return absl::OkStatus();
  }

  // Size of a memory that the program uses, in the memory's own unit; messages of the host
  // are bounded by their regions alone.
  int64_t memorySize(program::Space space) const {
    switch (space) {
    case program::HBM:
      return header.hbm_rows();
    case program::VMEM:
      return header.vmem_rows();
    case program::SMEM:
      return header.smem_words();
    case program::PINNED:
      return header.pinned_rows();
    default:
      return kMaxRows;
    }
  }

  template <typename... Parts>
  absl::Status checkExtent(program::Space space, int64_t base, int64_t size,
                           const Parts &...what) const {
    if (!program::Space_IsValid(space))
      return invalid(what..., ": no such memory");
    if (base < 0 || size < 0 || base > kMaxRows || size > kMaxRows)
      return invalid(what..., ": base ", base, ", size ", size);
    if (base + size > memorySize(space))
      return invalid(what..., ": ends at ", base + size, ", but the program uses only ",
                     memorySize(space), " of ", program::Space_Name(space));
    return absl::OkStatus();
  }

  absl::Status regions() const {
    if (header.regions_size() > kMaxRegions)
      return invalid(header.regions_size(), " regions; the most is ", kMaxRegions);
    for (int i = 0; i < header.regions_size(); ++i) {
      const program::Region &region = header.regions(i);
      if (auto status = checkExtent(region.space(), region.base(), region.size(), "region ", i,
                                    " `", region.name(), "`");
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status descriptors() const {
    if (header.descriptors_size() > kMaxDescriptors)
      return invalid(header.descriptors_size(), " descriptors; the most is ", kMaxDescriptors);
    for (int i = 0; i < header.descriptors_size(); ++i) {
      const program::Descriptor &d = header.descriptors(i);
      if (!program::Space_IsValid(d.src()) || !program::Space_IsValid(d.dst()))
        return invalid("descriptor ", i, ": no such memory");
      if (d.arrival_flag() < 0 || d.arrival_flag() > isa::kSyncFlags)
        return invalid("descriptor ", i, ": arrival flag ", d.arrival_flag() - 1, " of ",
                       isa::kSyncFlags);
      if (d.counts_words() && d.arrival_flag() != 0)
        return invalid("descriptor ", i, ": copies to other cores do not count words");
      auto isHost = [](program::Space space) {
        return space == program::HOST || space == program::PINNED;
      };
      const bool withHost = isHost(d.src()) || isHost(d.dst());
      if (withHost &&
          ((d.src() != program::HBM && d.dst() != program::HBM) || d.arrival_flag() != 0))
        return invalid("descriptor ", i, ": copies with the host are from or to a core's own HBM");
      if (d.counts_size() > kMaxDmaLevels || d.src_strides_size() != d.counts_size() ||
          d.dst_strides_size() != d.counts_size())
        return invalid("descriptor ", i, ": ", d.counts_size(), " counts, ", d.src_strides_size(),
                       " source and ", d.dst_strides_size(),
                       " destination strides; expected the same number, at most ", kMaxDmaLevels);
      const bool words = d.src() == program::SMEM || d.dst() == program::SMEM;
      auto aligned = [&](int64_t value) { return words || value % kLaneWords == 0; };
      if (d.chunk() < 1 || d.chunk() > kMaxWords || !aligned(d.chunk()))
        return invalid("descriptor ", i, ": chunk of ", d.chunk(), " words",
                       words ? "" : "; expected whole rows of 128");
      int64_t total = d.chunk();
      for (int level = 0; level < d.counts_size(); ++level) {
        const int64_t count = d.counts(level);
        if (count < 1 || count > kMaxWords / total)
          return invalid("descriptor ", i, ": count ", count);
        total *= count;
        for (int64_t stride : {d.src_strides(level), d.dst_strides(level)})
          if (stride < -kMaxRows || stride > kMaxRows || !aligned(stride))
            return invalid("descriptor ", i, ": stride of ", stride, " words",
                           words ? "" : "; expected whole rows of 128");
      }
    }
    return absl::OkStatus();
  }

  template <typename... Parts>
  absl::Status checkRange(const program::Range &range, const Parts &...what) const {
    if (range.begin() < 0 || range.begin() >= range.end() ||
        range.end() > int64_t(program.code.size()))
      return invalid(what..., ": bundles ", range.begin(), " to ", range.end(), " of ",
                     program.code.size());
    return absl::OkStatus();
  }

  template <typename... Parts>
  absl::Status checkLocation(int32_t location, const Parts &...what) const {
    if (location < 0 || location > header.locations_size())
      return invalid(what..., ": location ", location - 1, " of ", header.locations_size());
    return absl::OkStatus();
  }

  absl::Status code() const {
    if (program.code.size() > size_t(INT32_MAX))
      return invalid(program.code.size(), " bundles");
    for (int i = 0; i < header.routines_size(); ++i)
      if (auto status =
              checkRange(header.routines(i).bundles(), "routine `", header.routines(i).name(), "`");
          !status.ok())
        return status;
    if (header.entry() < 0 || header.entry() >= header.routines_size())
      return invalid("entry routine ", header.entry(), " of ", header.routines_size());
    for (int i = 0; i < header.overlays_size(); ++i)
      if (auto status = checkRange(header.overlays(i), "overlay ", i); !status.ok())
        return status;
    if (!header.overlay_addresses().empty() &&
        header.overlay_addresses_size() != header.overlays_size())
      return invalid(header.overlay_addresses_size(), " addresses of ", header.overlays_size(),
                     " overlays");
    for (int i = 0; i < header.overlay_addresses_size(); ++i)
      if (header.overlay_addresses(i) < 0 || header.overlay_addresses(i) > INT32_MAX)
        return invalid("overlay ", i, ": address ", header.overlay_addresses(i));
    for (const program::Kernel &kernel : header.kernels()) {
      if (auto status = checkRange(kernel.bundles(), "kernel `", kernel.name(), "`"); !status.ok())
        return status;
      if (kernel.flops() < 0 || kernel.bytes() < 0 || kernel.step() < 0 ||
          kernel.estimated_cycles() < 0)
        return invalid("kernel `", kernel.name(), "`: negative flops, bytes or cycles");
      if (auto status = checkLocation(kernel.location(), "kernel `", kernel.name(), "`");
          !status.ok())
        return status;
      if (kernel.part_of() < 0 || kernel.part_of() > header.kernels_size() ||
          (kernel.part_of() > 0 && header.kernels(kernel.part_of() - 1).part_of() != 0))
        return invalid("kernel `", kernel.name(), "`: part of entry ", kernel.part_of() - 1);
    }
    for (int i = 0; i < header.sources_size(); ++i) {
      if (auto status = checkRange(header.sources(i).bundles(), "source range ", i); !status.ok())
        return status;
      if (auto status = checkLocation(header.sources(i).location(), "source range ", i);
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status checkRegion(program::Space space, int region, int64_t rows, absl::string_view what,
                           absl::string_view name) const {
    if (region < 0 || region >= header.regions_size())
      return invalid(what, " `", name, "`: region ", region, " of ", header.regions_size());
    const program::Region &where = header.regions(region);
    if (where.space() != space)
      return invalid(what, " `", name, "`: region `", where.name(), "` is not in ",
                     program::Space_Name(space));
    if (rows > where.size())
      return invalid(what, " `", name, "`: ", rows, " rows in region `", where.name(), "` of ",
                     where.size());
    return absl::OkStatus();
  }

  absl::Status checkSignature(const program::Tensor &tensor, absl::string_view what) const {
    if (auto status = checkTensor(tensor); !status.ok())
      return invalid(what, ": ", status.message());
    if (auto status = checkPlanes(tensor, what); !status.ok())
      return status;
    if (!program::Memory_IsValid(tensor.memory()))
      return invalid(what, " `", tensor.name(), "`: no such memory");
    const program::Space space =
        tensor.memory() == program::DEVICE ? program::HBM : program::PINNED;
    const Planes planes = planesOf(tensor);
    for (int32_t region : planes.all())
      if (auto status = checkRegion(space, region, planes.rows, what, tensor.name()); !status.ok())
        return status;
    if (auto status = checkDynamicDims(tensor, what); !status.ok())
      return status;
    if (auto status = checkShards(tensor, header.cores()); !status.ok())
      return invalid(what, " `", tensor.name(), "`: ", status.message());
    return absl::OkStatus();
  }

  absl::Status checkDynamicDims(const program::Tensor &tensor, absl::string_view what) const {
    std::set<int64_t> dims;
    for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
      if (dim.dim() < 0 || dim.dim() >= tensor.dims_size() || !dims.insert(dim.dim()).second)
        return invalid(what, " `", tensor.name(), "`: dimension ", dim.dim(), " of ",
                       tensor.dims_size(), " has a size, or has several");
      const program::Tensor size = sizeTensor(dim);
      if (auto status =
              checkRegion(program::HBM, dim.region(), deviceRows(size), what, tensor.name());
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status checkPlanes(const program::Tensor &tensor, absl::string_view what) const {
    const int regions = 1 + tensor.high_regions_size();
    if (const int planes = planesOf(tensor).count; regions != planes)
      return invalid(what, " `", tensor.name(), "`: ", planes, " planes in ", regions, " regions");
    return absl::OkStatus();
  }

  static bool sameType(const program::Tensor &a, const program::Tensor &b) {
    return a.dtype() == b.dtype() && a.memory() == b.memory() &&
           std::ranges::equal(a.dims(), b.dims()) &&
           std::ranges::equal(a.layout().minor_to_major(), b.layout().minor_to_major());
  }

  absl::Status signature() const {
    for (const program::Tensor &argument : header.arguments()) {
      if (auto status = checkSignature(argument, "argument"); !status.ok())
        return status;
      if (argument.aliased_input() != 0)
        return invalid("argument `", argument.name(), "`: aliases another");
    }
    for (const program::Tensor &result : header.results()) {
      if (auto status = checkSignature(result, "result"); !status.ok())
        return status;
      if (result.donated())
        return invalid("result `", result.name(), "`: only arguments are donated");
      const int alias = result.aliased_input();
      if (alias < 0 || alias > header.arguments_size())
        return invalid("result `", result.name(), "`: aliases argument ", alias - 1, " of ",
                       header.arguments_size());
      if (alias > 0 && !sameType(header.arguments(alias - 1), result))
        return invalid("result `", result.name(), "`: aliases argument ", alias - 1,
                       ", which has another type or layout");
      if (alias > 0 &&
          (header.arguments(alias - 1).region() != result.region() ||
           !std::ranges::equal(header.arguments(alias - 1).high_regions(), result.high_regions())))
        return invalid("result `", result.name(), "`: aliases argument ", alias - 1,
                       ", but is in another region");
    }
    return absl::OkStatus();
  }

  absl::Status checkHostTensor(const program::Tensor &tensor, std::set<int> &regions) const {
    const std::string what = absl::StrCat("transfer `", tensor.name(), "`");
    if (auto status = checkTensor(tensor); !status.ok())
      return invalid(what, ": ", status.message());
    if (auto status = checkPlanes(tensor, "transfer"); !status.ok())
      return status;
    const Planes planes = planesOf(tensor);
    if (tensor.dynamic_dims_size() != 0)
      return invalid(what, ": dynamic dimensions");
    if (tensor.whole_dims_size() != 0 || tensor.core_positions_size() != 0 ||
        tensor.core_terms_size() != 0)
      return invalid(what, ": only arguments and results are divided among cores");
    for (int32_t region : planes.all()) {
      if (region < 0 || region >= header.regions_size() ||
          header.regions(region).space() != program::HOST)
        return invalid(what, ": region ", region, " is not of the host");
      if (const int64_t rows = header.regions(region).size();
          rows > std::max<int64_t>(1, planes.rows))
        return invalid(what, ": ", planes.rows, " rows in a region of ", rows);
      if (!regions.insert(region).second)
        return invalid(what, ": its region is another's, too");
    }
    return absl::OkStatus();
  }

  // Checks the contents of host regions, and that transfers are distinct.
  absl::Status transfers() const {
    if (header.transfers_size() > kMaxTransfers)
      return invalid(header.transfers_size(), " transfers; the most is ", kMaxTransfers);
    std::set<int> regions;
    std::set<std::tuple<bool, bool, int64_t>> channels;
    for (const program::HostTransfer &transfer : header.transfers()) {
      if (transfer.tensors_size() == 0)
        return invalid("a transfer over channel ", transfer.channel(), " has no tensor");
      for (const program::Tensor &tensor : transfer.tensors())
        if (auto status = checkHostTensor(tensor, regions); !status.ok())
          return status;
      const std::string what = absl::StrCat("transfer `", transfer.tensors(0).name(), "`");
      if (transfer.channel() < 0)
        return invalid(what, ": channel ", transfer.channel());
      if (!channels.insert({transfer.queued(), transfer.to_host(), transfer.channel()}).second)
        return invalid(what, ": its channel is another's, too");
    }
    return absl::OkStatus();
  }

  absl::Status constants() const {
    if (header.constants_size() != int(program.constants.size()))
      return invalid(header.constants_size(), " constants, ", program.constants.size(),
                     " sections of bytes");
    for (int i = 0; i < header.constants_size(); ++i) {
      const int64_t rows =
          (int64_t(program.constants[i].size()) + isa::kRowBytes - 1) / isa::kRowBytes;
      if (auto status = checkRegion(program::HBM, header.constants(i).region(), rows, "constant",
                                    absl::StrCat(i));
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status allocations() const {
    for (const program::Allocation &allocation : header.allocations()) {
      if (auto status = checkExtent(allocation.space(), allocation.base(), allocation.size(),
                                    "allocation `", allocation.name(), "`");
          !status.ok())
        return status;
      if (allocation.payload_bytes() < 0)
        return invalid("allocation `", allocation.name(), "`: negative payload");
      if (allocation.begin() < 0 || allocation.begin() > allocation.end())
        return invalid("allocation `", allocation.name(), "`: lives from step ", allocation.begin(),
                       " to ", allocation.end());
      if (auto status =
              checkLocation(allocation.location(), "allocation `", allocation.name(), "`");
          !status.ok())
        return status;
    }
    for (const program::WholeOperation &operation : header.whole_operations())
      if (auto status =
              checkLocation(operation.location(), "whole operation `", operation.name(), "`");
          !status.ok())
        return status;
    return absl::OkStatus();
  }
};

} // namespace

absl::Status checkHeader(const Program &program) { return HeaderChecker{program}.run(); }

} // namespace systole
