// Buffers of the C++ interface: copies from and to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "runtime/Client/Guarded.h"
#include "runtime/Client/Strides.h"
#include "runtime/Library/State.h"

namespace systole::v0 {

TensorType tensorType(const ArrayType &type) {
  return {.elementType = elementTypeFromName(type.dtype()),
          .dims = {type.dims().begin(), type.dims().end()},
          .minorToMajor = {type.minorToMajor().begin(), type.minorToMajor().end()}};
}

absl::StatusOr<std::shared_ptr<PendingArray>> Buffer::State::hold() {
  std::lock_guard lock(mutex);
  if (!value)
    return absl::FailedPreconditionError("the buffer has been released or donated");
  return value;
}

void Buffer::State::restore(std::shared_ptr<PendingArray> released) {
  std::lock_guard lock(mutex);
  value = std::move(released);
}

absl::StatusOr<Buffer> Buffer::fromHost(const Device &device, const void *data, ElementType type,
                                        std::span<const int64_t> dims,
                                        std::span<const int64_t> byteStrides) {
  if (Access::isEmpty(device))
    return absl::InvalidArgumentError("the device is empty");
  const std::string_view name = elementTypeName(type);
  if (name.empty())
    return absl::InvalidArgumentError(absl::StrCat("there is no element type ", int(type)));
  auto arrayType = ArrayType::create(name, dims);
  if (!arrayType.ok())
    return arrayType.status();
  if (!data && (*arrayType)->hostBytes() > 0)
    return absl::InvalidArgumentError("the host's array is null");
  if (!byteStrides.empty() && byteStrides.size() != dims.size())
    return absl::InvalidArgumentError(absl::StrCat("there are ", byteStrides.size(),
                                                   " strides for ", dims.size(), " dimensions"));
  auto array = Access::state(device).core().hbm().allocate(*arrayType);
  if (!array.ok())
    return array.status();

  const int64_t bytes = elementBytes(type);
  const std::vector<int64_t> dense = denseStrides(dims, bytes);
  const auto *host = static_cast<const uint8_t *>(data);
  std::vector<uint8_t> packed;
  if (!byteStrides.empty() && !sameElements(dims, byteStrides, dense)) {
    packed.resize(size_t((*arrayType)->hostBytes()));
    copyStrided(dims, bytes, host, byteStrides, packed.data(), dense);
    host = packed.data();
  }
  (*array)->fill(host);
  auto state = std::make_shared<State>();
  state->device = device;
  state->type = tensorType(**arrayType);
  state->arrayType = *std::move(arrayType);
  state->value = std::make_shared<PendingArray>(
      PendingArray{.ready = systole::Event::completed(), .array = *std::move(array)});
  return Access::make<Buffer>(std::move(state));
}

const TensorType &Buffer::type() const { return state->type; }

int64_t Buffer::hostBytes() const { return state->arrayType->hostBytes(); }

int64_t Buffer::deviceBytes() const { return state->arrayType->deviceBytes(); }

absl::StatusOr<std::vector<int64_t>> Buffer::sizes() const {
  auto value = state->hold();
  if (!value.ok())
    return value.status();
  if (absl::Status status = (*value)->ready.await(); !status.ok())
    return status;
  const std::span<const int64_t> dims = (*value)->array->dims();
  return std::vector<int64_t>(dims.begin(), dims.end());
}

Event Buffer::ready() const {
  auto value = state->hold();
  return Access::event(value.ok() ? (*value)->ready : systole::Event::completed(value.status()));
}

absl::StatusOr<Event> Buffer::toHostAsync(void *data, size_t bytes,
                                          std::span<const int64_t> byteStrides) const {
  const ArrayType &type = *state->arrayType;
  std::vector<int64_t> given(byteStrides.begin(), byteStrides.end());
  if (!given.empty() && given.size() != type.dims().size())
    return absl::InvalidArgumentError(absl::StrCat("there are ", given.size(), " strides for ",
                                                   type.dims().size(), " dimensions"));
  if (!data && type.hostBytes() > 0)
    return absl::InvalidArgumentError("the host's array is null");
  if (byteStrides.empty() && bytes < size_t(type.hostBytes()))
    return absl::InvalidArgumentError(absl::StrCat("the host's array has ", bytes, " bytes, but ",
                                                   type.toString(), " takes ", type.hostBytes()));
  auto value = state->hold();
  if (!value.ok())
    return value.status();
  systole::Event copied;
  // A local copy: this thread may be the last that holds the value.
  const systole::Event ready = (*value)->ready;
  ready.onReady([value = *std::move(value), copied, given = std::move(given),
                 to = static_cast<uint8_t *>(data)](const absl::Status &status) mutable {
    absl::Status done = !status.ok() ? status : guarded([&] {
      const ArrayType &type = *value->array->type();
      const std::span<const int64_t> dims = value->array->dims();
      const int64_t elementSize = systole::elementBytes(type.dtype());
      const std::vector<int64_t> dense = denseStrides(dims, elementSize);
      const std::vector<int64_t> &strides = given.empty() ? dense : given;
      if (sameElements(dims, strides, dense)) {
        value->array->fetch(to);
        return absl::OkStatus();
      }
      std::vector<uint8_t> packed(size_t(type.hostBytes()));
      value->array->fetch(packed.data());
      copyStrided(dims, elementSize, packed.data(), dense, to, strides);
      return absl::OkStatus();
    });
    // Released before waiters are notified, who may delete the array and ask for the memory.
    value.reset();
    copied.complete(std::move(done));
  });
  return Access::event(std::move(copied));
}

absl::Status Buffer::toHost(void *data, size_t bytes, std::span<const int64_t> byteStrides) const {
  absl::StatusOr<Event> copied = toHostAsync(data, bytes, byteStrides);
  return copied.ok() ? copied->await() : copied.status();
}

void Buffer::release() const {
  std::shared_ptr<PendingArray> value;
  std::lock_guard lock(state->mutex);
  value.swap(state->value);
}

bool Buffer::isReleased() const {
  std::lock_guard lock(state->mutex);
  return !state->value;
}

} // namespace systole::v0
