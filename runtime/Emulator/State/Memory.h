// The memories of one core as its program sees them, and the ownership of their parts by copies in
// flight.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/State/AddressMap.h"
#include "runtime/Emulator/State/MemorySpace.h"
#include "runtime/Emulator/State/Pattern.h"
#include "runtime/Emulator/State/Reservation.h"

namespace systole::emulation {

// Ownership of the units of a memory (rows, but words of SMEM) by
// copies in flight: the number of readers of a unit, or a mark of its one writer.
using Owner = uint16_t;
inline constexpr Owner kWritten = 0x8000;

struct MemorySize {
  int64_t hbmRows = 0, vmemRows = 0, smemWords = 0, pinnedRows = 0;
};

// Who does large copies between HBM and VMEM while others go on: before anyone accesses their
// words, they are done.
class CopyHelper {
public:
  virtual ~CopyHelper() = default;
  // Calls part(0) to part(count - 1), on any thread.
  virtual void start(int count, std::function<void(int)> part) = 0;
};

// One core's memories. VMEM and SMEM are its own; HBM and the host's pinned memory may be shared
// with others, and what a program addresses in them is anywhere.
class Memory {
public:
  // Memories of that size, all the core's own. ResourceExhausted if the host has not that much
  // address space.
  static absl::StatusOr<Memory> create(const MemorySize &size);
  // On-chip memories of a size, and HBM as given; `setSize` follows, and `attachPinned` for
  // programs that use it.
  static absl::StatusOr<Memory> create(const MemorySize &size, std::shared_ptr<MemorySpace> hbm);
  void attachPinned(std::shared_ptr<MemorySpace> pinned) {
    spaces[program::PINNED] = std::move(pinned);
  }

  // What a program uses, which the memories have. For a run; no copy is in flight.
  absl::Status setSize(const MemorySize &size);
  // Where the rows of a program's plan of HBM or pinned memory are.
  void place(program::Space space, AddressMap map) { maps[size_t(space)] = std::move(map); }
  const AddressMap &map(program::Space space) const { return maps[size_t(space)]; }

  // Zeroes VMEM and SMEM, for a run; HBM and pinned memory stay.
  void reset();

  uint32_t *vmem() { return onChip[0]; }
  uint32_t *smem() { return onChip[1]; }
  // The whole memory, and how much of it the program uses.
  MemorySpace &space(program::Space space) { return *spaces[size_t(space)]; }
  const MemorySpace &space(program::Space space) const { return *spaces[size_t(space)]; }
  size_t bytes(program::Space space) const { return used[size_t(space)]; }
  Owner *owners(program::Space space) {
    return reinterpret_cast<Owner *>(ownersOf[size_t(space)].data());
  }

  // Copies between the memories, which have as many words on both sides. A large copy may be left
  // to `helper`, unless that is null.
  void move(const Pattern &from, const Pattern &to);
  CopyHelper *helper = nullptr;
  // Copies words of the program's plan out of a memory, and into it.
  void read(program::Space space, int64_t word, int64_t words, uint32_t *to);
  void write(program::Space space, int64_t word, int64_t words, const uint32_t *from);
  // The same for any number of bytes, from the beginning of a word on.
  void read(program::Space space, int64_t word, char *to, size_t bytes);
  void write(program::Space space, int64_t word, const char *from, size_t bytes);
  // The words if they lie side by side, else null. They will be read, or also written.
  uint32_t *find(program::Space space, int64_t word, int64_t words, bool isWritten);
  // Whether the program may write all of these.
  bool isWritable(const Pattern &pattern) const;

  // Before loads of rows of VMEM of a range, or stores.
  void noteVmem(int64_t firstRow, int64_t lastRow, bool isStore) {
    MemorySpace &vmem = *spaces[program::VMEM];
    for (int64_t page = firstRow / Pages::kRows; page * Pages::kRows <= lastRow; ++page)
      isStore ? vmem.noteStore(size_t(page)) : vmem.noteLoad(size_t(page));
  }
  // Resets, and discards the contents of HBM and pinned memory, which are the core's own.
  void releaseAll();
  // Bytes of HBM in use on the host, in whole pages, and most of them since the creation.
  int64_t touchedBytes() const { return space(program::HBM).touchedBytes(); }
  int64_t peakTouchedBytes() const { return space(program::HBM).peakTouchedBytes(); }

  // Cycle from which a load observes the last store to a row or word.
  LazyVector<int64_t> vmemReady, smemReady;
  int64_t lastVmemReady = 0, lastSmemReady = 0;
  // Copies in flight from or to a memory: without any, ownership needs no check.
  int copiesOnVmem = 0, copiesOnSmem = 0;

private:
  template <typename T> using BySpace = std::array<T, program::Space_ARRAYSIZE>;

  // The pattern with its place in memory if all of it lies side by side there.
  bool locate(Pattern &pattern) const;
  // Calls f(byte of the space, bytes) for each part of a range that lies side by side.
  template <typename F> void forEachPart(program::Space space, int64_t word, size_t bytes, F f);
  void moveParts(const Pattern &from, const Pattern &to);

  BySpace<std::shared_ptr<MemorySpace>> spaces;
  BySpace<Reservation> ownersOf;
  BySpace<AddressMap> maps; // HBM and PINNED
  BySpace<size_t> used{};   // bytes
  std::array<uint32_t *, 2> onChip{};
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H
