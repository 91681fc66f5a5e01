// Properties of buffers, and their deletion.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/ElementTypes.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"

absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> PJRT_Buffer::hold() {
  std::lock_guard lock(mutex);
  if (!value)
    return absl::InvalidArgumentError("the buffer has been deleted or donated");
  return value;
}

namespace systole::pjrt {

absl::Status Buffer_Destroy(PJRT_Buffer_Destroy_Args &args) {
  delete args.buffer;
  return absl::OkStatus();
}

absl::Status Buffer_ElementType(PJRT_Buffer_ElementType_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.type = elementType(args.buffer->type->dtype());
  return absl::OkStatus();
}

absl::Status Buffer_Dimensions(PJRT_Buffer_Dimensions_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.dims = args.buffer->type->dims().data();
  args.num_dims = args.buffer->type->dims().size();
  return absl::OkStatus();
}

absl::Status Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  PJRT_Buffer &buffer = *args.buffer;
  args.unpadded_dims = buffer.type->dims().data();
  args.num_dims = buffer.type->dims().size();
  if (buffer.dynamicDims.empty())
    return absl::OkStatus();
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> value = buffer.hold();
  if (!value.ok())
    return value.status();
  if (absl::Status status = (*value)->ready.await(); !status.ok())
    return status;
  const std::span<const int64_t> dims = (*value)->array->dims();
  std::lock_guard lock(buffer.mutex);
  if (buffer.sizes.empty())
    buffer.sizes.assign(dims.begin(), dims.end());
  args.unpadded_dims = buffer.sizes.data();
  return absl::OkStatus();
}

absl::Status Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.dynamic_dim_indices = args.buffer->dynamicDims.data();
  args.num_dynamic_dims = args.buffer->dynamicDims.size();
  return absl::OkStatus();
}

absl::Status Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  std::span<const int64_t> order = args.buffer->type->minorToMajor();
  args.layout = {};
  args.layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args.layout.tiled.minor_to_major = order.data();
  args.layout.tiled.minor_to_major_size = order.size();
  return absl::OkStatus();
}

absl::Status Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  // Without the device's padding: clients allocate as much for the array on the host. Its size in
  // HBM counts in Device_MemoryStats.
  args.on_device_size_in_bytes = size_t(args.buffer->type->hostBytes());
  return absl::OkStatus();
}

absl::Status Buffer_Device(PJRT_Buffer_Device_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.device = args.buffer->device;
  return absl::OkStatus();
}

absl::Status Buffer_Memory(PJRT_Buffer_Memory_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.memory = args.buffer->memory;
  return absl::OkStatus();
}

absl::Status Buffer_Delete(PJRT_Buffer_Delete_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  std::lock_guard lock(args.buffer->mutex);
  args.buffer->value = nullptr;
  return absl::OkStatus();
}

absl::Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  std::lock_guard lock(args.buffer->mutex);
  args.is_deleted = !args.buffer->value;
  return absl::OkStatus();
}

absl::Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args &args) {
  // In the device's layout, wherever it is.
  args.is_on_cpu = false;
  return absl::OkStatus();
}

absl::Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> value = args.buffer->hold();
  if (!value.ok())
    return value.status();
  args.event = new PJRT_Event{(*value)->ready};
  return absl::OkStatus();
}

absl::Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> value = args.buffer->hold();
  if (!value.ok())
    return value.status();
  if (absl::Status status = (*value)->ready.await(); !status.ok())
    return status;
  args.buffer_pointer = reinterpret_cast<uintptr_t>((*value)->array->bytes().data());
  return absl::OkStatus();
}

} // namespace systole::pjrt
