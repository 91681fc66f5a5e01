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

    int64_t base() const { return range.begin; }
    int64_t count() const { return range.rows(); }
    // The contents. The owner writes or reads all of them before another thread has them.
    uint8_t *write() const;
    const uint8_t *read() const;

  private:
    friend class MachineMemory;
    Rows(std::shared_ptr<MachineMemory> memory, emulation::RowRange range)
        : memory(std::move(memory)), range(range) {}

    std::shared_ptr<MachineMemory> memory;
    emulation::RowRange range;
  };

  // A memory of `rows`, which takes addresses of the host at its first use: for up to `most` times
  // as many rows, so that ranges find a place however the free ones are scattered, but fewer if the
  // host has not so many. Who owns ranges counts rows.
  MachineMemory(int64_t rows, int64_t most) : rows(rows), most(most) {}

  // Rows that read as zero, at least one; those of runs from the high end, where the next run finds
  // their pages again. ResourceExhausted if the host could never hold them, or has no addresses.
  absl::StatusOr<Rows> allocate(int64_t rows, End end = End::Low);

  // The contents. ResourceExhausted as above.
  absl::StatusOr<std::shared_ptr<emulation::MemorySpace>> space();

private:
  absl::Status reserve();
  void release(emulation::RowRange rows);
  // The pages that have no owner, of those that `rows` have a part of, if `free` are free.
  static emulation::RowRange pagesOf(emulation::RowRange rows, emulation::RowRange free);

  const int64_t rows, most;
  std::mutex mutex; // guards the fields below
  std::shared_ptr<emulation::MemorySpace> contents;
  emulation::RowAllocator addresses{0};
  int64_t keptBytes = 0; // of the pages in use that have no owner
};

class Machine {
public:
  // The machine of a target, with all of its cores.
  explicit Machine(const Target &target);
  ~Machine();

  // The HBM of a core, and the memory of the host that copies can address.
  MachineMemory &hbm(int core) const;
  MachineMemory &host() const { return *pinned; }

private:
  friend class Emulator;
  struct MachineCore;

  // A core for a run of a program, and its return.
  absl::StatusOr<std::unique_ptr<emulation::Core>> take(int index);
  void giveBack(int index, std::unique_ptr<emulation::Core> core);

  Target target;
  std::unique_ptr<const emulation::CoreTiming> timing;
  std::shared_ptr<MachineMemory> pinned;
  std::vector<std::unique_ptr<MachineCore>> cores;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_MACHINE_H
