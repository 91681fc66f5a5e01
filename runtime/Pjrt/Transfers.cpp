// Copies of arrays from and to the host, and between devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Strides.h"
#include "runtime/Pjrt/ElementTypes.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"

namespace systole::pjrt {
namespace {

PJRT_Buffer *newBuffer(PJRT_Device *device, std::shared_ptr<const ArrayType> type,
                       std::shared_ptr<PJRT_Buffer::Value> value) {
  auto *buffer = new PJRT_Buffer;
  buffer->device = device;
  buffer->type = std::move(type);
  buffer->value = std::move(value);
  return buffer;
}

// The strides in bytes of the requested host layout.
absl::StatusOr<std::vector<int64_t>> hostStrides(const ArrayType &type,
                                                 const PJRT_Buffer_MemoryLayout *given) {
  const int64_t bytes = elementBytes(type.dtype());
  if (!given)
    return denseStrides(type.dims(), bytes);
  const PJRT_Buffer_MemoryLayout layout = copyOf(given);
  const size_t rank = type.dims().size();
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout.strides.num_byte_strides != rank)
      return absl::InvalidArgumentError("the host layout has another number of dimensions");
    return std::vector<int64_t>(layout.strides.byte_strides, layout.strides.byte_strides + rank);
  }
  if (layout.tiled.num_tiles != 0)
    return absl::UnimplementedError("tiled layouts on the host are not supported");
  return denseStrides(type.dims(), bytes,
                      {layout.tiled.minor_to_major, layout.tiled.minor_to_major_size});
}

absl::StatusOr<PJRT_Buffer *> copyBuffer(PJRT_Buffer &buffer, PJRT_Device *to) {
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> from = buffer.hold();
  if (!from.ok())
    return from.status();
  auto result = std::make_shared<PJRT_Buffer::Value>();
  to->device->stream.run([from = *std::move(from), result, to] {
    absl::Status status = guarded([&] {
      if (absl::Status ready = from->ready.await(); !ready.ok())
        return ready;
      absl::StatusOr<std::shared_ptr<DeviceArray>> copy =
          to->device->hbm->allocate(from->array->type());
      if (!copy.ok())
        return copy.status();
      (*copy)->copyFrom(*from->array);
      result->array = *std::move(copy);
      return absl::OkStatus();
    });
    result->ready.complete(std::move(status));
  });
  return newBuffer(to, buffer.type, std::move(result));
}

} // namespace

absl::Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  PJRT_Device *device = args.device   ? args.device
                        : args.memory ? args.memory->device
                                      : args.client->find(0);
  SYSTOLE_PJRT_REQUIRE(device);
  absl::StatusOr<std::shared_ptr<const ArrayType>> type =
      ArrayType::create(elementTypeName(args.type), {args.dims, args.num_dims});
  if (!type.ok())
    return type.status();
  if ((*type)->hostBytes() > 0)
    SYSTOLE_PJRT_REQUIRE(args.data);
  absl::StatusOr<std::shared_ptr<DeviceArray>> array = device->device->hbm->allocate(*type);
  if (!array.ok())
    return array.status();

  // The host's array is read before the function returns, whichever semantics its owner has chosen.
  const int64_t bytes = elementBytes((*type)->dtype());
  const std::vector<int64_t> dense = denseStrides((*type)->dims(), bytes);
  const auto *host = static_cast<const uint8_t *>(args.data);
  std::vector<uint8_t> packed;
  if (args.byte_strides && args.num_byte_strides > 0) {
    if (args.num_byte_strides != args.num_dims)
      return absl::InvalidArgumentError("there is not one stride for each dimension");
    std::span<const int64_t> strides(args.byte_strides, args.num_dims);
    if (!sameElements((*type)->dims(), strides, dense)) {
      packed.resize(size_t((*type)->hostBytes()));
      copyStrided((*type)->dims(), bytes, host, strides, packed.data(), dense);
      host = packed.data();
    }
  }
  (*array)->fill(host);
  auto done = std::make_unique<PJRT_Event>(PJRT_Event{Event::completed()});
  args.buffer = newBuffer(device, *type,
                          std::make_shared<PJRT_Buffer::Value>(
                              PJRT_Buffer::Value{Event::completed(), *std::move(array)}));
  args.done_with_host_buffer = done.release();
  return absl::OkStatus();
}

absl::Status Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.src);
  const ArrayType &type = *args.src->type;
  if (!args.dst) {
    args.dst_size = size_t(type.hostBytes());
    return absl::OkStatus();
  }
  if (args.dst_size < size_t(type.hostBytes()))
    return absl::InvalidArgumentError(absl::StrCat("the host's buffer of ", args.dst_size,
                                                   " bytes is too small for ", type.toString()));
  absl::StatusOr<std::vector<int64_t>> strides = hostStrides(type, args.host_layout);
  if (!strides.ok())
    return strides.status();
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> value = args.src->hold();
  if (!value.ok())
    return value.status();
  Event copied;
  auto event = std::make_unique<PJRT_Event>(PJRT_Event{copied});
  const Event &ready = (*value)->ready;
  ready.onReady([value = *value, copied, strides = *std::move(strides),
                 dst = static_cast<uint8_t *>(args.dst)](const absl::Status &status) {
    if (!status.ok())
      return copied.complete(status);
    copied.complete(guarded([&] {
      const ArrayType &type = *value->array->type();
      const int64_t bytes = elementBytes(type.dtype());
      const std::vector<int64_t> dense = denseStrides(type.dims(), bytes);
      if (sameElements(type.dims(), strides, dense)) {
        value->array->fetch(dst);
        return absl::OkStatus();
      }
      std::vector<uint8_t> packed(size_t(type.hostBytes()));
      value->array->fetch(packed.data());
      copyStrided(type.dims(), bytes, packed.data(), dense, dst, strides);
      return absl::OkStatus();
    }));
  });
  args.event = event.release();
  return absl::OkStatus();
}

absl::Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  SYSTOLE_PJRT_REQUIRE(args.dst_device);
  absl::StatusOr<PJRT_Buffer *> copy = copyBuffer(*args.buffer, args.dst_device);
  if (!copy.ok())
    return copy.status();
  args.dst_buffer = *copy;
  return absl::OkStatus();
}

absl::Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  SYSTOLE_PJRT_REQUIRE(args.dst_memory);
  absl::StatusOr<PJRT_Buffer *> copy = copyBuffer(*args.buffer, args.dst_memory->device);
  if (!copy.ok())
    return copy.status();
  args.dst_buffer = *copy;
  return absl::OkStatus();
}

} // namespace systole::pjrt
