// Arrays in a device's memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_BUFFER_H
#define SYSTOLE_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "systole/device.h"
#include "systole/element_type.h"
#include "systole/event.h"
#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

struct TensorType {
  ElementType elementType = ElementType::Invalid;
  std::vector<int64_t> dims;
  /// The order of dimensions on the device, the minormost first. It follows from element type and
  /// dims.
  std::vector<int64_t> minorToMajor;

  friend bool operator==(const TensorType &, const TensorType &) = default;
};

/// An array in a device's memory, immutable once it is ready. A handle: copies are the same
/// buffer. All functions may be called from any thread.
class SYSTOLE_EXPORT Buffer {
public:
  struct State;

  /// Copies the array at `data`, which may be reused on return. `byteStrides` are the bytes from
  /// an element to the next along each dimension, which may be zero or negative; empty for a
  /// dense row-major array. InvalidArgument for dims that are no shape, Unimplemented for element
  /// types that a device cannot hold (see elementBytes()), ResourceExhausted without room.
  static absl::StatusOr<Buffer> fromHost(const Device &device, const void *data, ElementType type,
                                         std::span<const int64_t> dims,
                                         std::span<const int64_t> byteStrides = {});

  const TensorType &type() const;
  /// Bytes of the dense array on the host, and with padding on the device.
  int64_t hostBytes() const;
  int64_t deviceBytes() const;

  /// The sizes of its dimensions, once it is ready: those of its type, or, of a result whose type
  /// in the program has bounds, the ones that it has. FailedPrecondition if it has been released.
  absl::StatusOr<std::vector<int64_t>> sizes() const;

  /// Completes when the array is there, or with the error of the run that was to compute it.
  /// Completed with FailedPrecondition if it has been released.
  Event ready() const;

  /// Copies the array, of its sizes, to `data`, of `bytes` bytes, once it is ready. Of an array with
  /// byteStrides, `data` is the address of the first element, and `bytes` is not looked at.
  /// FailedPrecondition if the buffer has been released or donated.
  absl::Status toHost(void *data, size_t bytes, std::span<const int64_t> byteStrides = {}) const;
  /// The same, but returns at once: `data` must live until the event completes.
  absl::StatusOr<Event> toHostAsync(void *data, size_t bytes,
                                    std::span<const int64_t> byteStrides = {}) const;

  /// Gives the array's memory back, as the last handle does. Runs that use it are not disturbed.
  void release() const;
  /// Whether it was released, or donated to a run.
  bool isReleased() const;

private:
  friend struct Access;
  std::shared_ptr<State> state;
};

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_BUFFER_H
