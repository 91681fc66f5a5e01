// A device's memory for its clients: arrays, and the amount in use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_HBM_H
#define SYSTOLE_RUNTIME_CLIENT_HBM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Client/ArrayType.h"
#include "runtime/Emulator/Machine.h"

namespace systole {

// Bytes of the emulated HBM.
struct HbmUse {
  int64_t inUse = 0;
  int64_t peak = 0;
  int64_t allocations = 0; // allocations ever made
  int64_t largest = 0;     // the largest of them
  int64_t limit = 0;
};

class Hbm;

// An array in a device's memory, in the device's layout.
class DeviceArray {
public:
  ~DeviceArray();
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  const std::shared_ptr<const ArrayType> &type() const { return arrayType; }
  // Its first row in memory, of an array with elements.
  int64_t row() const { return rows.base(); }
  absl::Span<const uint8_t> bytes() const { return {rows.read(), size_t(size())}; }
  absl::Span<uint8_t> mutableBytes() { return {rows.write(), size_t(size())}; }
  int64_t size() const { return arrayType->deviceBytes(); } // with padding
  // The sizes of its dimensions: those of its type, or less in the dynamic dimensions of a
  // program's result.
  std::span<const int64_t> dims() const { return actual.empty() ? arrayType->dims() : actual; }
  void setDims(std::vector<int64_t> dims) { actual = std::move(dims); }

  // Conversion from and to its dense row-major form, of all elements of the type and of `dims`.
  void fill(const uint8_t *host);
  void fetch(uint8_t *host) const;
  // Copies from an array of the same type.
  void copyFrom(const DeviceArray &other);

private:
  friend class Hbm;
  DeviceArray(std::shared_ptr<Hbm> hbm, std::shared_ptr<const ArrayType> type)
      : hbm(std::move(hbm)), arrayType(std::move(type)) {}

  std::shared_ptr<Hbm> hbm;
  std::shared_ptr<const ArrayType> arrayType;
  std::vector<int64_t> actual; // empty if they are the type's
  MachineMemory::Rows rows;    // none without elements
};

// One memory: the HBM of a device, or memory of the host for it. It counts the bytes of its arrays.
class Hbm : public std::enable_shared_from_this<Hbm> {
public:
  Hbm(std::shared_ptr<MachineMemory> memory, int64_t limit) : memory(std::move(memory)) {
    use.limit = limit;
  }

  // An array of zeros. ResourceExhausted if the device or this host has too
  // little memory.
  absl::StatusOr<std::shared_ptr<DeviceArray>> allocate(std::shared_ptr<const ArrayType> type);

  // ResourceExhausted if `bytes` more do not fit in addition to those in use.
  absl::Status checkRoom(int64_t bytes, const char *what) const;

  HbmUse usage() const;

private:
  friend class DeviceArray;
  absl::Status outOfMemory(int64_t bytes, const char *what) const;

  const std::shared_ptr<MachineMemory> memory;
  mutable std::mutex mutex;
  HbmUse use;
};

// The memories that a core of a machine can address. Those of the host are as large as the host
// allows. The machine outlives programs that run on them, and not the arrays.
class DeviceMemories {
public:
  DeviceMemories(Machine &machine, int core, int64_t hbmBytes)
      : owner(machine), number(core),
        all{std::make_shared<Hbm>(machine.hbm(core).shared_from_this(), hbmBytes),
            std::make_shared<Hbm>(machine.host().shared_from_this(), INT64_MAX),
            std::make_shared<Hbm>(machine.host().shared_from_this(), INT64_MAX)} {}

  Machine &machine() const { return owner; }
  int core() const { return number; }
  Hbm &of(program::Memory memory) const { return *all[size_t(memory)]; }

private:
  static_assert(program::Memory_ARRAYSIZE == 3 && program::DEVICE == 0);
  Machine &owner;
  int number;
  std::array<std::shared_ptr<Hbm>, program::Memory_ARRAYSIZE> all;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_HBM_H
