// Emulated devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DEVICE_H
#define SYSTOLE_DEVICE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "systole/element_type.h"
#include "systole/event.h"
#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

struct DeviceOptions {
  /// A built-in target (see targets()), or the path of a target description in protobuf text
  /// form.
  std::string target = "v3";
  /// A folder that keeps compiled programs for later processes; "" for none.
  std::string cacheDirectory = "";
};

/// Bytes of a device's HBM, padding included.
struct DeviceMemory {
  int64_t inUse = 0;
  int64_t peak = 0;
  int64_t limit = 0;
};

/// Names of the built-in targets.
SYSTOLE_EXPORT std::vector<std::string> targets();

/// One core of a target. Programs are compiled for it and run on it, one at a time. A handle:
/// copies are the same device. Buffers, executables, and compilations in progress hold their
/// device, and all devices of a slice hold one another. Destroying the last handle cancels runs
/// that have no Cancellation of their own, and waits for all runs in progress.
class SYSTOLE_EXPORT Device {
public:
  struct State;

  /// The first core of a target; "v3-8" is a slice of eight. NotFound for an unknown target,
  /// InvalidArgument for a malformed description.
  static absl::StatusOr<Device> create(const DeviceOptions &options = {});

  /// All cores of the slice that the device is of, by their numbers; of another target itself.
  std::vector<Device> slice() const;
  /// Its number among them.
  int number() const;

  const std::string &target() const;
  /// Hex SHA-256 of the target description: programs run on targets of an equal hash.
  const std::string &targetHash() const;
  DeviceMemory memory() const;

  /// Appends a copy of the dense row-major array at `data` to the infeed, the queue from which
  /// `stablehlo.infeed` takes its arrays one after the other. A program waits for an array that is
  /// not there, and fails with InvalidArgument if the next one has another type than it takes.
  /// Errors are those of Buffer::fromHost.
  absl::Status putInfeed(const void *data, ElementType type, std::span<const int64_t> dims) const;
  /// Programs do not wait for an empty infeed until putInfeed is called again, but fail with
  /// OutOfRange.
  void endInfeed() const;
  /// Moves the next array of the outfeed, to which `stablehlo.outfeed` appends, to `data`, of
  /// `bytes` bytes, and waits for it. InvalidArgument if it is not of this type: it stays then.
  absl::Status takeOutfeed(void *data, size_t bytes, ElementType type,
                           std::span<const int64_t> dims,
                           const std::optional<Cancellation> &cancellation = {}) const;

  /// Whether both are handles of one device.
  friend bool operator==(const Device &, const Device &) = default;

private:
  friend struct Access;
  std::shared_ptr<State> state;
};

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_DEVICE_H
