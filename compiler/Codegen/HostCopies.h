// Copies between HBM and the host, several at a time where they do not touch the same rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_HOSTCOPIES_H
#define SYSTOLE_COMPILER_CODEGEN_HOSTCOPIES_H

#include "compiler/Codegen/Emitter.h"
#include "compiler/Codegen/Memory.h"

namespace systole::codegen {

/// Adds a region of the host for each of the module's `kernel.transfers`, behind all others.
void addHostRegions(mlir::ModuleOp module, RegionTable &regions);

/// Emits the copies of one block in order and waits for those that are under way where something
/// else follows.
class HostCopies {
public:
  /// `firstHost` is the number of the first region of the host.
  HostCopies(Emitter &emitter, const RegionTable &regions, size_t firstHost)
      : e(emitter), regions(regions), firstHost(firstHost) {}

  /// A copy between the HBM region of number `hbm` and the host's of `transfer`.
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
