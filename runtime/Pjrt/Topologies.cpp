// Slices without devices, for ahead-of-time compilation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Platform.h"

PJRT_TopologyDescription::PJRT_TopologyDescription(systole::Target slice, std::string asked)
    : target(std::move(slice)), precision(std::move(asked)),
      version(absl::StrCat(
          "systole ", SYSTOLE_VERSION, ", emulated ", target.name(), ", precision ", precision,
          ", build ",
          systole::ProgramCache::keyOf("", target.withCores(1).hash(), precision).substr(0, 16))) {
  for (const systole::DevicePlace &place : systole::devicePlaces(target)) {
    devices.push_back(std::make_unique<PJRT_DeviceDescription>(target, int(devices.size()), place));
    devicePointers.push_back(devices.back().get());
  }
}

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace systole::pjrt {
namespace {

constexpr absl::string_view kPrefix = "systole topology\n";

// "v3-8" as for Target, or "v3:2x2", chips in rows and columns.
absl::StatusOr<Target> parseTopology(const std::string &name) {
  std::pair<std::string, std::string> parts = absl::StrSplit(name, absl::MaxSplits(':', 1));
  absl::StatusOr<Target> target = Target::load(parts.first);
  if (!target.ok() || parts.second.empty())
    return target;
  int64_t cores = int64_t(target->description().cores_per_chip().value());
  for (absl::string_view size : absl::StrSplit(parts.second, 'x')) {
    int64_t extent;
    if (!absl::SimpleAtoi(size, &extent) || extent < 1 || extent > 4096 ||
        (cores *= extent) > 65536)
      return absl::InvalidArgumentError(absl::StrCat("topology '", name, "' is none"));
  }
  return target->withCores(int(cores));
}

} // namespace

absl::Status TopologyDescription_Create(PJRT_TopologyDescription_Create_Args &args) {
  absl::StatusOr<ClientOptions> options = clientOptions(args.create_options, args.num_options);
  if (!options.ok())
    return options.status();
  SYSTOLE_PJRT_REQUIRE_LIST(args.topology_name, args.topology_name_size);
  absl::StatusOr<Target> target = parseTopology(
      args.topology_name_size > 0 ? std::string(args.topology_name, args.topology_name_size)
                                  : options->target);
  if (!target.ok())
    return target.status();
  args.topology = new PJRT_TopologyDescription(*std::move(target), options->precision);
  return absl::OkStatus();
}

absl::Status TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args &args) {
  delete args.topology;
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args &args) {
  args.platform_name = kPlatformName.data();
  args.platform_name_size = kPlatformName.size();
  return absl::OkStatus();
}

absl::Status
TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.topology);
  args.platform_version = args.topology->version.data();
  args.platform_version_size = args.topology->version.size();
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.topology);
  args.descriptions = args.topology->devicePointers.data();
  args.num_descriptions = args.topology->devicePointers.size();
  return absl::OkStatus();
}

absl::Status TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.topology);
  const Target &target = args.topology->target;
  auto *serialized =
      new PJRT_SerializedTopology{absl::StrCat(kPrefix, target.hash(), "\n", target.name())};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_topology = serialized;
  args.serialized_topology_deleter = [](PJRT_SerializedTopology *topology) { delete topology; };
  return absl::OkStatus();
}

absl::Status TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args &args) {
  SYSTOLE_PJRT_REQUIRE_LIST(args.serialized_topology, args.serialized_topology_size);
  absl::string_view bytes(args.serialized_topology, args.serialized_topology_size);
  if (!absl::StartsWith(bytes, kPrefix))
    return absl::InvalidArgumentError("the bytes are no serialized topology");
  std::pair<std::string, std::string> parts =
      absl::StrSplit(bytes.substr(kPrefix.size()), absl::MaxSplits('\n', 1));
  absl::StatusOr<Target> target = Target::load(parts.second);
  if (!target.ok())
    return target.status();
  if (target->hash() != parts.first)
    return absl::FailedPreconditionError(
        absl::StrCat("target ", parts.second, " has another description here"));
  absl::StatusOr<ClientOptions> options = clientOptions(nullptr, 0);
  if (!options.ok())
    return options.status();
  args.topology = new PJRT_TopologyDescription(*std::move(target), options->precision);
  return absl::OkStatus();
}

absl::Status TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.topology);
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return absl::OkStatus();
}

} // namespace systole::pjrt
