// Devices and buffers of the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <span>

#include "runtime/Client/Strides.h"
#include "runtime/Library/C/Objects.h"

using namespace systole;
using namespace systole::c;

namespace {

// An array of the caller, checked.
struct HostView {
  void *data;
  size_t bytes;
  v0::ElementType type;
  std::span<const int64_t> dims;
  std::vector<int64_t> strides; // empty for dense row-major
  bool isDense;                 // the caller gave no strides
};

absl::StatusOr<HostView> viewOf(const systole_host_array *given) {
  absl::StatusOr<systole_host_array> array = copyIn(given, "array");
  if (!array.ok())
    return array.status();
  if (array->rank > 0 && !array->dims)
    return absl::InvalidArgumentError("`array->dims` is null");
  HostView view{.data = array->data,
                .bytes = array->size_in_bytes,
                .type = v0::ElementType(array->element_type),
                .dims = {array->dims, array->rank},
                .strides = {},
                .isDense = array->rank == 0 || !array->byte_strides};
  if (array->byte_strides && array->minor_to_major)
    return absl::InvalidArgumentError("`array` has both strides and an order of dimensions");
  if (array->byte_strides)
    view.strides.assign(array->byte_strides, array->byte_strides + array->rank);
  if (array->minor_to_major) {
    absl::StatusOr<std::vector<int64_t>> strides =
        denseStrides(view.dims, v0::elementBytes(view.type), {array->minor_to_major, array->rank});
    if (!strides.ok())
      return strides.status();
    view.strides = *std::move(strides);
  }
  return view;
}

// InvalidArgument if a dense array of `bytes` bytes does not fit where the caller has it.
absl::Status checkRoom(const HostView &view, int64_t bytes) {
  if (!view.isDense || view.bytes >= size_t(bytes))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("`array->size_in_bytes` is ", view.bytes, ", but the array takes ", bytes));
}

// The same of an array of the view's type.
absl::Status checkRoom(const HostView &view) {
  int64_t bytes = v0::elementBytes(view.type);
  for (int64_t dim : view.dims)
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
      return absl::InvalidArgumentError("`array->dims` are not the shape of an array");
  return checkRoom(view, bytes);
}

absl::StatusOr<v0::Event> copyToHost(const systole_buffer *buffer,
                                     const systole_host_array *array) {
  SYSTOLE_REQUIRE(buffer);
  absl::StatusOr<HostView> view = viewOf(array);
  if (!view.ok())
    return view.status();
  const v0::TensorType &type = buffer->buffer.type();
  if (view->type != type.elementType || !std::ranges::equal(view->dims, type.dims))
    return absl::InvalidArgumentError("element type or dims of `array` are not the buffer's");
  if (absl::Status status = checkRoom(*view, buffer->buffer.hostBytes()); !status.ok())
    return status;
  return buffer->buffer.toHostAsync(view->data, view->bytes, view->strides);
}

// Checks that the array is dense and row-major, and that it has room for its type.
absl::StatusOr<HostView> denseViewOf(const systole_host_array *array) {
  absl::StatusOr<HostView> view = viewOf(array);
  if (!view.ok())
    return view;
  if (absl::Status status = checkRoom(*view); !status.ok())
    return status;
  const std::vector<int64_t> dense = denseStrides(view->dims, v0::elementBytes(view->type));
  if (!view->strides.empty() && !sameElements(view->dims, view->strides, dense))
    return absl::InvalidArgumentError("`array` is not dense and row-major");
  return view;
}

} // namespace

systole_error *systole_device_create(const systole_device_options *options,
                                     systole_device **device) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    absl::StatusOr<systole_device_options> copy = copyOptions(options, "options");
    if (!copy.ok())
      return copy.status();
    v0::DeviceOptions deviceOptions;
    if (copy->target)
      deviceOptions.target = copy->target;
    if (copy->cache_directory)
      deviceOptions.cacheDirectory = copy->cache_directory;
    absl::StatusOr<v0::Device> created = v0::Device::create(deviceOptions);
    if (!created.ok())
      return created.status();
    if (const size_t cores = created->slice().size(); cores > 1)
      return absl::UnimplementedError(
          absl::StrCat("target '", deviceOptions.target, "' is a slice of ", cores,
                       " cores, which the C interface does not support yet"));
    *device = new systole_device{*std::move(created)};
    return absl::OkStatus();
  });
}

systole_error *systole_device_get_memory(const systole_device *device,
                                         systole_device_memory *memory) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    if (absl::Status status = checkStruct(memory, "memory"); !status.ok())
      return status;
    const v0::DeviceMemory use = device->device.memory();
    copyOut({sizeof(*memory), use.inUse, use.peak, use.limit}, memory);
    return absl::OkStatus();
  });
}

systole_error *systole_device_put_infeed(const systole_device *device,
                                         const systole_host_array *array) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    absl::StatusOr<HostView> view = denseViewOf(array);
    return view.ok() ? device->device.putInfeed(view->data, view->type, view->dims) : view.status();
  });
}

systole_error *systole_device_end_infeed(const systole_device *device) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    device->device.endInfeed();
    return absl::OkStatus();
  });
}

systole_error *systole_device_take_outfeed(const systole_device *device,
                                           const systole_host_array *array,
                                           const systole_cancellation *cancellation) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    absl::StatusOr<HostView> view = denseViewOf(array);
    if (!view.ok())
      return view.status();
    std::optional<v0::Cancellation> cancel;
    if (cancellation)
      cancel = cancellation->cancellation;
    return device->device.takeOutfeed(view->data, view->bytes, view->type, view->dims, cancel);
  });
}

const char *systole_device_target(const systole_device *device) {
  return device ? device->device.target().c_str() : "";
}

void systole_device_destroy(systole_device *device) { delete device; }

systole_error *systole_buffer_from_host(const systole_device *device,
                                        const systole_host_array *array, systole_buffer **buffer) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    SYSTOLE_REQUIRE(buffer);
    absl::StatusOr<HostView> view = viewOf(array);
    if (!view.ok())
      return view.status();
    if (absl::Status status = checkRoom(*view); !status.ok())
      return status;
    absl::StatusOr<v0::Buffer> created =
        v0::Buffer::fromHost(device->device, view->data, view->type, view->dims, view->strides);
    if (!created.ok())
      return created.status();
    *buffer = new systole_buffer{*std::move(created)};
    return absl::OkStatus();
  });
}

systole_error *systole_buffer_to_host(const systole_buffer *buffer,
                                      const systole_host_array *array) {
  return guard([&]() -> absl::Status {
    absl::StatusOr<v0::Event> copied = copyToHost(buffer, array);
    return copied.ok() ? copied->await() : copied.status();
  });
}

systole_error *systole_buffer_to_host_async(const systole_buffer *buffer,
                                            const systole_host_array *array,
                                            systole_event **copied) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(copied);
    auto handle = std::make_unique<systole_event>();
    absl::StatusOr<v0::Event> event = copyToHost(buffer, array);
    if (!event.ok())
      return event.status();
    handle->event = *std::move(event);
    *copied = handle.release();
    return absl::OkStatus();
  });
}

systole_error *systole_buffer_get_type(const systole_buffer *buffer, systole_tensor_type *type) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(buffer);
    if (absl::Status status = checkStruct(type, "type"); !status.ok())
      return status;
    copyOut(cType(buffer->buffer.type()), type);
    return absl::OkStatus();
  });
}

systole_error *systole_buffer_get_ready(const systole_buffer *buffer, systole_event **ready) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(buffer);
    SYSTOLE_REQUIRE(ready);
    *ready = new systole_event{buffer->buffer.ready()};
    return absl::OkStatus();
  });
}

void systole_buffer_release(systole_buffer *buffer) {
  if (buffer)
    buffer->buffer.release();
}

int systole_buffer_is_released(const systole_buffer *buffer) {
  return buffer && buffer->buffer.isReleased();
}

void systole_buffer_destroy(systole_buffer *buffer) { delete buffer; }
