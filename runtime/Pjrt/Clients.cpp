// The plugin and its clients.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include "dialects/VHLO/VHLO.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Platform.h"

PJRT_Client::PJRT_Client(std::unique_ptr<systole::Client> owned)
    : client(std::move(owned)), topology(client->target(), client->precision()) {
  for (const auto &core : client->devices()) {
    const size_t index = devices.size();
    auto device = std::make_unique<PJRT_Device>();
    device->client = this;
    device->device = core.get();
    device->description = topology.devices[index].get();
    for (int kind = 0; kind < systole::program::Memory_ARRAYSIZE; ++kind) {
      const auto memory = systole::program::Memory(kind);
      const std::string name(systole::memoryKind(memory));
      device->memories.push_back(std::make_unique<PJRT_Memory>(
          PJRT_Memory{device.get(), memory, int(memoryPointers.size()),
                      kind == 0 ? "HBM of " + device->description->text
                                : name + " memory for " + device->description->text}));
      device->memoryPointers.push_back(device->memories.back().get());
      memoryPointers.push_back(device->memories.back().get());
    }
    devicePointers.push_back(device.get());
    devices.push_back(std::move(device));
  }
}

PJRT_Device *PJRT_Client::find(int64_t id) const {
  return id >= 0 && size_t(id) < devices.size() ? devicePointers[size_t(id)] : nullptr;
}

namespace systole::pjrt {

namespace {

std::string environment(const char *name, std::string otherwise = "") {
  const char *value = std::getenv(name);
  return value ? value : std::move(otherwise);
}

std::string defaultCacheDir() {
  const std::string home = environment("HOME");
  const std::string cache = environment("XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
  return cache.empty() ? "" : cache + "/systole";
}

} // namespace

absl::StatusOr<ClientOptions> clientOptions(const PJRT_NamedValue *options, size_t count) {
  ClientOptions result;
  auto take = [&](std::string &to, const char *option, const char *variable) {
    absl::StatusOr<std::string> given = findText(options, count, option);
    if (!given.ok())
      return given.status();
    if (!given->empty())
      to = *std::move(given);
    else if (const char *value = std::getenv(variable))
      to = value;
    return absl::OkStatus();
  };
  result.cacheDir = defaultCacheDir();
  for (absl::Status status : {take(result.target, "target", "SYSTOLE_TARGET"),
                              take(result.precision, "precision", "SYSTOLE_PRECISION"),
                              take(result.reportFile, "report", "SYSTOLE_REPORT"),
                              take(result.cacheDir, "cache", "SYSTOLE_CACHE")})
    if (!status.ok())
      return status;
  if (result.target.empty())
    result.target = ClientOptions().target;
  if (result.precision.empty())
    result.precision = ClientOptions().precision;
  return result;
}

absl::Status Plugin_Initialize(PJRT_Plugin_Initialize_Args &) { return absl::OkStatus(); }

absl::Status Plugin_Attributes(PJRT_Plugin_Attributes_Args &args) {
  static const NamedValues attributes = [] {
    NamedValues values;
    auto add = [&](const char *name, const char *version) {
      const coded::Version known = *vhlo::parseVersion(version);
      values.add(name, std::vector<int64_t>{known.major, known.minor, 0});
    };
    // JAX writes artifacts of the older of its own version and the plugin's.
    add("stablehlo_current_version", "");
    add("stablehlo_minimum_version", "1.0");
    return values;
  }();
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
  return absl::OkStatus();
}

absl::Status Client_Create(PJRT_Client_Create_Args &args) {
  absl::StatusOr<ClientOptions> options = clientOptions(args.create_options, args.num_options);
  if (!options.ok())
    return options.status();
  absl::StatusOr<std::unique_ptr<Client>> client = Client::create(*options);
  if (!client.ok())
    return client.status();
  args.client = new PJRT_Client(*std::move(client));
  return absl::OkStatus();
}

absl::Status Client_Destroy(PJRT_Client_Destroy_Args &args) {
  // The objects behind its handles stay alive for calls in flight.
  if (args.client)
    args.client->client->shutDown();
  delete args.client;
  return absl::OkStatus();
}

absl::Status Client_PlatformName(PJRT_Client_PlatformName_Args &args) {
  args.platform_name = kPlatformName.data();
  args.platform_name_size = kPlatformName.size();
  return absl::OkStatus();
}

absl::Status Client_ProcessIndex(PJRT_Client_ProcessIndex_Args &args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status Client_PlatformVersion(PJRT_Client_PlatformVersion_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  const std::string &version = args.client->topology.version;
  args.platform_version = version.data();
  args.platform_version_size = version.size();
  return absl::OkStatus();
}

absl::Status Client_TopologyDescription(PJRT_Client_TopologyDescription_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.topology = &args.client->topology;
  return absl::OkStatus();
}

absl::Status Client_Devices(PJRT_Client_Devices_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.devices = args.client->devicePointers.data();
  args.num_devices = args.client->devicePointers.size();
  return absl::OkStatus();
}

absl::Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.addressable_devices = args.client->devicePointers.data();
  args.num_addressable_devices = args.client->devicePointers.size();
  return absl::OkStatus();
}

absl::Status Client_LookupDevice(PJRT_Client_LookupDevice_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.device = args.client->find(args.id);
  return args.device ? absl::OkStatus() : absl::InvalidArgumentError("there is no such device");
}

absl::Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.addressable_device = args.client->find(args.local_hardware_id);
  return args.addressable_device ? absl::OkStatus()
                                 : absl::InvalidArgumentError("there is no such device");
}

absl::Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  args.addressable_memories = args.client->memoryPointers.data();
  args.num_addressable_memories = args.client->memoryPointers.size();
  return absl::OkStatus();
}

absl::Status Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  SYSTOLE_PJRT_REQUIRE(args.default_assignment);
  const int64_t count = int64_t(args.num_replicas) * args.num_partitions;
  if (args.num_replicas < 1 || args.num_partitions < 1 ||
      uint64_t(count) > args.client->devices.size() ||
      uint64_t(count) > args.default_assignment_size)
    return absl::InvalidArgumentError("more devices than there are");
  for (int64_t i = 0; i < count; ++i)
    args.default_assignment[i] = int(i);
  return absl::OkStatus();
}

} // namespace systole::pjrt
