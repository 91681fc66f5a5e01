// The region table of a program, and where a kernel's buffers are in VMEM and SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_MEMORY_H
#define SYSTOLE_COMPILER_CODEGEN_MEMORY_H

#include "compiler/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace systole::codegen {

/// The module's `core.regions` while it grows: what loads and stores name first, since their
/// fields are narrow, then HBM, which only copies name, in registers.
class RegionTable {
public:
  struct Region {
    std::string name;
    core::MemorySpace space;
    int64_t base = 0, size = 0; // rows of 512 bytes, words in SMEM
    std::string owner;
  };
  /// What loads and stores can name: 12 bits but two numbers, which the backend takes for spills.
  static constexpr size_t maxNamed = 4094;

  /// With regions for spilled registers, which the backend sizes: of @main, and of kernels.
  RegionTable();

  int32_t add(Region region);
  Region &operator[](int32_t number) { return regions[number]; }
  const Region &operator[](int32_t number) const { return regions[number]; }
  size_t size() const { return regions.size(); }
  void truncate(size_t size) { regions.resize(size); }
  /// Renames the regions from `first` on, which only `routine` uses, so that equal ranges of
  /// a memory are one region, whichever kernels use them.
  void share(size_t first, mlir::func::FuncOp routine);
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;

private:
  std::vector<Region> regions;
  std::map<std::tuple<core::MemorySpace, int64_t, int64_t>, int32_t> byRange;
};

/// Positions of operations in a kernel's body, in program order.
struct LiveRange {
  int64_t first = 0, last = 0; // both included
  bool overlaps(const LiveRange &other) const { return first <= other.last && other.first <= last; }
};

/// One kernel's VMEM and SMEM. Buffers get their regions at once and their
/// addresses by `place`, when all are known.
class KernelMemory : public ScratchAllocator {
public:
  KernelMemory(RegionTable &table, llvm::StringRef kernel, const Machine &machine)
      : table(table), kernel(kernel), machine(machine) {}

  /// A VMEM buffer of `copies` times its type, one after the other.
  BufferRef addVmem(kernel::BufferType type, llvm::StringRef name, mlir::Location loc,
                    LiveRange range, int64_t copies = 1);
  /// An SMEM buffer: a word for each element, or for an array without any.
  BufferRef addSmem(kernel::BufferType type, llvm::StringRef name, mlir::Location loc,
                    LiveRange range);

  /// The stage whose scratch is allocated next.
  void setStage(int64_t position, mlir::Location loc) {
    stage = position;
    stageLoc = loc;
  }
  BufferRef allocate(kernel::BufferType type) override;

  /// Gives each buffer the lowest rows or words that none living at the same time has,
  /// largest first. False if VMEM or SMEM is too small.
  bool place();
  /// After place has returned false: one error that names the largest buffers.
  mlir::LogicalResult reportOverflow(mlir::Location loc) const;
  bool exceedsSmem() const { return smem.needed > machine.smemWords; }

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
  void place(Space &space);
  static int64_t elementBytes(const Placed &buffer, bool isSmem);

  RegionTable &table;
  std::string kernel;
  const Machine &machine;
  Space vmem, smem;
  int64_t stage = 0;
  std::optional<mlir::Location> stageLoc;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_MEMORY_H
