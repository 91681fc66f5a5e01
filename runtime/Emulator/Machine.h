// A machine that stays: the memories in which arrays live, and the cores that execute programs on
// them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_MACHINE_H
#define SYSTOLE_RUNTIME_EMULATOR_MACHINE_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/State/MemorySpace.h"
#include "runtime/Emulator/State/RowAllocator.h"

namespace systole {

namespace emulation {
class Core;
struct CoreTiming;
} // namespace emulation

// The addresses of one memory, of which owners have ranges. Its functions may be called from any
// thread.
class MachineMemory : public std::enable_shared_from_this<MachineMemory> {
public:
  using End = emulation::RowAllocator::End;

  // Rows of an owner, who gives them back.
  class Rows {
  public:
    Rows() = default;
    Rows(Rows &&other) noexcept;
    Rows &operator=(Rows &&other) noexcept;
    ~Rows();

    int64_t base() const { return first; }
    int64_t count() const { return rows; }
    // The contents. The owner writes or reads all of them before another thread has them.
    uint8_t *write() const;
    const uint8_t *read() const;

  private:
    friend class MachineMemory;
    Rows(std::shared_ptr<MachineMemory> memory, int64_t first, int64_t rows)
        : memory(std::move(memory)), first(first), rows(rows) {}

    std::shared_ptr<MachineMemory> memory;
    int64_t first = 0, rows = 0;
  };

  // A memory of `rows`. It has addresses for several times as many, so that ranges find a place
  // however the free ones are scattered: who owns them counts rows. ResourceExhausted if the host
  // has not even so many addresses.
  static absl::StatusOr<std::shared_ptr<MachineMemory>> create(int64_t rows);

  // Rows that read as zero, at least one; those of runs from the high end, where the next run finds
  // their pages again. ResourceExhausted if the host could never hold them.
  absl::StatusOr<Rows> allocate(int64_t rows, End end = End::Low);

  const std::shared_ptr<emulation::MemorySpace> &space() const { return contents; }

private:
  MachineMemory(std::shared_ptr<emulation::MemorySpace> contents)
      : contents(std::move(contents)), addresses(int64_t(this->contents->size()) / isa::kRowBytes) {
  }
  void release(int64_t first, int64_t rows);

  std::shared_ptr<emulation::MemorySpace> contents;
  std::mutex mutex; // guards the fields below
  emulation::RowAllocator addresses;
  int64_t keptBytes = 0; // in pages of free rows
};

class Machine {
public:
  // The machine of a target, with all of its cores.
  static absl::StatusOr<std::unique_ptr<Machine>> create(const Target &target);
  ~Machine();

  // The HBM of a core, and the memory of the host that copies can address.
  MachineMemory &hbm(int core) const { return *cores[size_t(core)]->hbm; }
  MachineMemory &host() const { return *pinned; }

private:
  friend class Emulator;
  struct MachineCore {
    std::shared_ptr<MachineMemory> hbm;
    std::mutex mutex;
    // Of which each executes one program: several only while a program waits for the host, which
    // calls others.
    std::vector<std::unique_ptr<emulation::Core>> idle;
  };

  explicit Machine(const Target &target);
  // A core for a run, and its return.
  absl::StatusOr<std::unique_ptr<emulation::Core>> take(int index);
  void giveBack(std::unique_ptr<emulation::Core> core);

  Target target;
  std::unique_ptr<const emulation::CoreTiming> timing;
  std::shared_ptr<MachineMemory> pinned;
  std::vector<std::unique_ptr<MachineCore>> cores;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_MACHINE_H
