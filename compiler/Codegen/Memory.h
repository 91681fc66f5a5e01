// The region table of a program, and the allocation of a kernel's buffers in VMEM and SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_MEMORY_H
#define SYSTOLE_COMPILER_CODEGEN_MEMORY_H

#include "compiler/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cassert>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace systole::codegen {

/// Builds the module's `core.regions`: regions that loads and stores name in narrow fields come
/// first, then those of HBM, which only copies name, in registers.
class RegionTable {
public:
  struct Region {
    std::string name;
    core::MemorySpace space;
    int64_t base = 0, size = 0; // rows of 512 bytes, words in SMEM
    std::string owner;
  };
  /// The regions that loads and stores can name: 12 bits, less two numbers reserved for spills.
  static constexpr size_t maxNamed = 4094;

  /// Starts with regions for spilled registers of @main and of kernels, which the backend sizes.
  RegionTable();

  int32_t add(Region region);
  Region &operator[](int32_t number) {
    assert(size_t(number) < regions.size() && "no such region");
    return regions[number];
  }
  const Region &operator[](int32_t number) const {
    assert(size_t(number) < regions.size() && "no such region");
    return regions[number];
  }
  size_t size() const { return regions.size(); }
  void truncate(size_t size) {
    assert(size <= regions.size() && "regions are taken away");
    regions.resize(size);
  }
  /// Merges the regions from `first` on, which only `routine` uses, with equal ranges of the same
  /// memory that other kernels use.
  void share(size_t first, mlir::func::FuncOp routine);
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;

private:
  std::vector<Region> regions;
  std::map<std::tuple<core::MemorySpace, int64_t, int64_t>, int32_t> byRange;
};

/// Numbers of the streams of a kernel's stages.
inline constexpr int kBehindStream = 1, kAheadStream = 2;

/// Positions of operations in a kernel's body, in program order.
struct LiveRange {
  int64_t first = 0, last = 0; // both included
  /// Of two streams of operations that run at the same time; 0: of neither alone.
  int stream = 0;
  bool overlaps(const LiveRange &other) const {
    return (stream && other.stream && stream != other.stream) ||
           (first <= other.last && other.first <= last);
  }
};

/// The VMEM and SMEM of one kernel. Buffers get regions at once, and addresses by `assignAddresses`
/// when all are known.
class KernelMemory : public ScratchAllocator {
public:
  /// `reserved`: rows at the end of VMEM that belong to other kernels, too.
  KernelMemory(RegionTable &table, llvm::StringRef kernel, const Machine &machine,
               int64_t reserved = 0)
      : table(table), kernel(kernel), machine(machine), reserved(reserved) {}

  /// A VMEM buffer of `copies` contiguous instances of its type.
  BufferRef addVmem(kernel::BufferType type, llvm::StringRef name, mlir::Location loc,
                    LiveRange range, int64_t copies = 1);
  /// An array that VMEM keeps for several kernels, in `rows` rows of 512 bytes that begin `place`
  /// rows before its end. `type` is that of a block.
  BufferRef addResident(kernel::BufferType type, int64_t rows, int64_t place);
  /// An SMEM buffer of one word for each element; at least one word.
  BufferRef addSmem(kernel::BufferType type, llvm::StringRef name, mlir::Location loc,
                    LiveRange range);

  /// Sets the stage that allocates scratch buffers from now on, for as long as it runs.
  void setStage(LiveRange range, mlir::Location loc) {
    stage = range;
    stageLoc = loc;
  }
  BufferRef allocate(kernel::BufferType type) override;

  /// Assigns to each buffer the lowest free rows or words in its live range, largest first. False
  /// if VMEM or SMEM is too small.
  bool assignAddresses();
  /// After assignAddresses has returned false: emits one error that lists the largest buffers.
  mlir::LogicalResult reportOverflow(mlir::Location loc) const;
  bool exceedsSmem() const { return smem.needed > freeSmem(); }

private:
  struct Placed {
    int32_t region;
    kernel::BufferType type;
    mlir::Location loc;
    LiveRange range;
    int64_t size = 0, base = 0; // rows or words
  };
  struct Space {
    std::vector<Placed> buffers;
    int64_t needed = 0;
  };
  /// The space begins at address `base`.
  void assignAddresses(Space &space, bool isShared, int64_t base);
  static int64_t elementBytes(const Placed &buffer, bool isSmem);
  int64_t vmemEnd() const { return machine.vmemRows - machine.budget.spillRows; }
  int64_t freeSmem() const { return machine.smemWords - machine.argumentWords; }

  RegionTable &table;
  std::string kernel;
  const Machine &machine;
  int64_t reserved;
  Space vmem, smem;
  LiveRange stage;
  std::optional<mlir::Location> stageLoc;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_MEMORY_H
