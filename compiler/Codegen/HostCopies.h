// Copies between HBM and the host, several in flight unless they access the same rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_HOSTCOPIES_H
#define SYSTOLE_COMPILER_CODEGEN_HOSTCOPIES_H

#include "compiler/Codegen/Emitter.h"
#include "compiler/Codegen/Memory.h"

namespace systole::codegen {

/// Appends a region of the host for each of the module's `kernel.transfers`.
void addHostRegions(mlir::ModuleOp module, RegionTable &regions);

/// Emits the copies of one block in order, and waits for those in flight before any other
/// operation.
class HostCopies {
public:
  /// `firstHost` is the number of the host's first region.
  HostCopies(Emitter &emitter, const RegionTable &regions, size_t firstHost)
      : e(emitter), regions(regions), firstHost(firstHost) {}

  /// Emits a copy between HBM region `hbm` and the host's region of `transfer`.
  mlir::LogicalResult copy(mlir::Operation *op, kernel::Direction direction, int32_t hbm,
                           int32_t transfer);

private:
  struct Pending {
    int32_t hbm;
    bool writes;
  };
  bool conflicts(const Pending &copy) const;
  void flush();

  Emitter &e;
  const RegionTable &regions;
  size_t firstHost;
  llvm::SmallVector<Pending> pending;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_HOSTCOPIES_H
