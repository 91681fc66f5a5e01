// Devices, their descriptions, and their memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Platform.h"

// By which libraries know a chip: "TPU v5 lite" is the kind of a TPU v5e.
static std::string kindOf(const systole::Target &target) {
  absl::string_view name = target.description().display_name();
  if (absl::StartsWith(name, "TPU v") && absl::ConsumeSuffix(&name, "e"))
    return absl::StrCat(name, " lite");
  return std::string(name);
}

PJRT_DeviceDescription::PJRT_DeviceDescription(const systole::Target &target, int id,
                                               systole::DevicePlace place)
    : id(id), kind(kindOf(target)),
      text(absl::StrCat(kind, "(id=", id, ", coords=(", place.coords[0], ",", place.coords[1], ",",
                        place.coords[2], "), core_on_chip=", place.coreOnChip, ", emulated)")) {
  attributes.add("coords", std::vector<int64_t>(place.coords.begin(), place.coords.end()));
  attributes.add("core_on_chip", place.coreOnChip);
  // A device is one core, also on chips whose cores a TPU can join to one ("megacore").
  attributes.add("num_cores", int64_t(1));
  attributes.add("slice_index", int64_t(0));
}

systole::Hbm &PJRT_Memory::pool() const { return device->device->memories.of(kind); }

namespace systole::pjrt {

absl::Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device_description);
  args.id = args.device_description->id;
  return absl::OkStatus();
}

absl::Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args &args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device_description);
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device_description);
  args.device_kind = args.device_description->kind.data();
  args.device_kind_size = args.device_description->kind.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device_description);
  args.debug_string = args.device_description->text.data();
  args.debug_string_size = args.device_description->text.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device_description);
  args.to_string = args.device_description->text.data();
  args.to_string_size = args.device_description->text.size();
  return absl::OkStatus();
}

absl::Status Device_GetDescription(PJRT_Device_GetDescription_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device);
  args.device_description = args.device->description;
  return absl::OkStatus();
}

absl::Status Device_IsAddressable(PJRT_Device_IsAddressable_Args &args) {
  args.is_addressable = true;
  return absl::OkStatus();
}

absl::Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device);
  args.local_hardware_id = args.device->device->id;
  return absl::OkStatus();
}

absl::Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device);
  args.memories = args.device->memoryPointers.data();
  args.num_memories = args.device->memoryPointers.size();
  return absl::OkStatus();
}

absl::Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device);
  args.memory = args.device->memoryPointers.front();
  return absl::OkStatus();
}

absl::Status Device_MemoryStats(PJRT_Device_MemoryStats_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.device);
  clearBehind(args, args.device);
  const HbmUse use = args.device->device->hbm().usage();
  args.bytes_in_use = use.inUse;
  args.peak_bytes_in_use = use.peak;
  args.num_allocs = use.allocations;
  args.largest_alloc_size = use.largest;
  args.bytes_limit = use.limit;
  // Arrays do not lie at addresses: what is free is one block.
  args.largest_free_block_bytes = use.limit - use.inUse;
  args.bytes_reservable_limit = use.limit;
  args.peak_bytes_in_use_is_set = args.num_allocs_is_set = args.largest_alloc_size_is_set =
      args.bytes_limit_is_set = args.largest_free_block_bytes_is_set =
          args.bytes_reservable_limit_is_set = true;
  args.bytes_reserved_is_set = args.peak_bytes_reserved_is_set = true; // none
  return absl::OkStatus();
}

absl::Status Memory_Id(PJRT_Memory_Id_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  args.id = args.memory->id;
  return absl::OkStatus();
}

absl::Status Memory_Kind(PJRT_Memory_Kind_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  const absl::string_view kind = memoryKind(args.memory->kind);
  args.kind = kind.data();
  args.kind_size = kind.size();
  return absl::OkStatus();
}

absl::Status Memory_Kind_Id(PJRT_Memory_Kind_Id_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  args.kind_id = args.memory->kind;
  return absl::OkStatus();
}

absl::Status Memory_DebugString(PJRT_Memory_DebugString_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  args.debug_string = args.memory->text.data();
  args.debug_string_size = args.memory->text.size();
  return absl::OkStatus();
}

absl::Status Memory_ToString(PJRT_Memory_ToString_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  args.to_string = args.memory->text.data();
  args.to_string_size = args.memory->text.size();
  return absl::OkStatus();
}

absl::Status Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.memory);
  args.devices = &args.memory->device->self;
  args.num_devices = 1;
  return absl::OkStatus();
}

} // namespace systole::pjrt
