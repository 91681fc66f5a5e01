// Copies of arrays from and to the host, and between devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Strides.h"
#include "runtime/Pjrt/ElementTypes.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"

namespace systole::pjrt {
namespace {

PJRT_Buffer *newBuffer(PJRT_Memory *memory, std::shared_ptr<const ArrayType> type,
                       std::shared_ptr<PJRT_Buffer::Value> value) {
  auto *buffer = new PJRT_Buffer;
  buffer->device = memory->device;
  buffer->memory = memory;
  buffer->type = std::move(type);
  buffer->value = std::move(value);
  return buffer;
}

// The requested layout on the host: strides in bytes, or else an order of the dimensions.
struct HostLayout {
  std::vector<int64_t> strides;
  std::optional<std::vector<int64_t>> minorToMajor;

  std::vector<int64_t> stridesOf(std::span<const int64_t> dims, int64_t bytes) const {
    if (!strides.empty())
      return strides;
    return minorToMajor ? *denseStrides(dims, bytes, *minorToMajor) : denseStrides(dims, bytes);
  }
};

// The order of dimensions, from minor to major, that a tiled layout of a caller gives.
absl::StatusOr<std::span<const int64_t>> orderOf(const ArrayType &type,
                                                 const PJRT_Buffer_MemoryLayout_Tiled &layout) {
  if (layout.num_tiles != 0)
    return absl::UnimplementedError("layouts with tiles are not supported");
  SYSTOLE_PJRT_REQUIRE_LIST(layout.minor_to_major, layout.minor_to_major_size);
  const std::span<const int64_t> order(layout.minor_to_major, layout.minor_to_major_size);
  if (auto strides = denseStrides(type.dims(), elementBytes(type.dtype()), order); !strides.ok())
    return strides.status();
  return order;
}

absl::StatusOr<HostLayout> hostLayout(const ArrayType &type,
                                      const PJRT_Buffer_MemoryLayout *given) {
  if (!given)
    return HostLayout();
  const PJRT_Buffer_MemoryLayout layout = nestedCopyOf(given);
  const size_t rank = type.dims().size();
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout.strides.num_byte_strides != rank)
      return absl::InvalidArgumentError("the host layout has another number of dimensions");
    SYSTOLE_PJRT_REQUIRE_LIST(layout.strides.byte_strides, rank);
    return HostLayout{{layout.strides.byte_strides, layout.strides.byte_strides + rank}, {}};
  }
  absl::StatusOr<std::span<const int64_t>> order = orderOf(type, layout.tiled);
  if (!order.ok())
    return order.status();
  return HostLayout{{}, std::vector<int64_t>(order->begin(), order->end())};
}

// The same elements in the layout that a caller asks for on the device.
absl::StatusOr<std::shared_ptr<const ArrayType>>
withDeviceLayout(std::shared_ptr<const ArrayType> type, const PJRT_Buffer_MemoryLayout *given) {
  if (!given)
    return type;
  const PJRT_Buffer_MemoryLayout layout = nestedCopyOf(given);
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Strides)
    return absl::UnimplementedError(
        "a layout on the device is an order of dimensions, not strides");
  absl::StatusOr<std::span<const int64_t>> order = orderOf(*type, layout.tiled);
  if (!order.ok())
    return order.status();
  return ArrayType::create(type->dtype(), type->dims(), *order);
}

absl::StatusOr<PJRT_Buffer *> copyBuffer(PJRT_Buffer &buffer, PJRT_Memory *to) {
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> from = buffer.hold();
  if (!from.ok())
    return from.status();
  auto result = std::make_shared<PJRT_Buffer::Value>();
  to->device->device->stream.run([from = *std::move(from), result, to]() mutable {
    absl::Status status = guarded([&] {
      if (absl::Status ready = from->ready.await(); !ready.ok())
        return ready;
      absl::StatusOr<std::shared_ptr<DeviceArray>> copy = to->pool().allocate(from->array->type());
      if (!copy.ok())
        return copy.status();
      (*copy)->copyFrom(*from->array);
      result->array = *std::move(copy);
      return absl::OkStatus();
    });
    // Both are released before waiters are notified, who may delete them and ask for the memory.
    const Event ready = result->ready;
    from.reset();
    result.reset();
    ready.complete(std::move(status));
  });
  PJRT_Buffer *copy = newBuffer(to, buffer.type, std::move(result));
  copy->dynamicDims = buffer.dynamicDims;
  return copy;
}

} // namespace

absl::Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  PJRT_Device *device = args.device ? args.device : args.client->find(0);
  SYSTOLE_PJRT_REQUIRE(device);
  PJRT_Memory *memory = args.memory ? args.memory : device->memoryPointers.front();
  SYSTOLE_PJRT_REQUIRE_LIST(args.dims, args.num_dims);
  absl::StatusOr<std::shared_ptr<const ArrayType>> type =
      ArrayType::create(elementTypeName(args.type), {args.dims, args.num_dims});
  if (type.ok())
    type = withDeviceLayout(*std::move(type), args.device_layout);
  if (!type.ok())
    return type.status();
  if ((*type)->hostBytes() > 0)
    SYSTOLE_PJRT_REQUIRE(args.data);
  absl::StatusOr<std::shared_ptr<DeviceArray>> array = memory->pool().allocate(*type);
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
  args.buffer = newBuffer(memory, *type,
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
  auto tooSmall = [size = args.dst_size](const ArrayType &type) {
    return absl::InvalidArgumentError(
        absl::StrCat("the host's buffer of ", size, " bytes is too small for ", type.toString()));
  };
  // Of an array with dynamic dimensions that is known once it is ready.
  if (args.src->dynamicDims.empty() && args.dst_size < size_t(type.hostBytes()))
    return tooSmall(type);
  absl::StatusOr<HostLayout> layout = hostLayout(type, args.host_layout);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<std::shared_ptr<PJRT_Buffer::Value>> value = args.src->hold();
  if (!value.ok())
    return value.status();
  Event copied;
  auto event = std::make_unique<PJRT_Event>(PJRT_Event{copied});
  const Event &ready = (*value)->ready;
  ready.onReady([value = *value, copied, layout = *std::move(layout), tooSmall,
                 size = int64_t(args.dst_size),
                 dst = static_cast<uint8_t *>(args.dst)](const absl::Status &status) mutable {
    absl::Status done = !status.ok() ? status : guarded([&]() -> absl::Status {
      const ArrayType &type = *value->array->type();
      const std::span<const int64_t> dims = value->array->dims();
      const int64_t bytes = elementBytes(type.dtype());
      const int64_t needed =
          std::accumulate(dims.begin(), dims.end(), bytes, std::multiplies<int64_t>());
      if (size < needed)
        return tooSmall(type);
      const std::vector<int64_t> dense = denseStrides(dims, bytes);
      const std::vector<int64_t> strides = layout.stridesOf(dims, bytes);
      if (sameElements(dims, strides, dense)) {
        value->array->fetch(dst);
        return absl::OkStatus();
      }
      std::vector<uint8_t> packed(static_cast<size_t>(needed));
      value->array->fetch(packed.data());
      copyStrided(dims, bytes, packed.data(), dense, dst, strides);
      return absl::OkStatus();
    });
    // Released first, as above.
    value.reset();
    copied.complete(std::move(done));
  });
  args.event = event.release();
  return absl::OkStatus();
}

absl::Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  SYSTOLE_PJRT_REQUIRE(args.dst_device);
  absl::StatusOr<PJRT_Buffer *> copy =
      copyBuffer(*args.buffer, args.dst_device->memoryPointers.front());
  if (!copy.ok())
    return copy.status();
  args.dst_buffer = *copy;
  return absl::OkStatus();
}

absl::Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  SYSTOLE_PJRT_REQUIRE(args.dst_memory);
  absl::StatusOr<PJRT_Buffer *> copy = copyBuffer(*args.buffer, args.dst_memory);
  if (!copy.ok())
    return copy.status();
  args.dst_buffer = *copy;
  return absl::OkStatus();
}

} // namespace systole::pjrt
