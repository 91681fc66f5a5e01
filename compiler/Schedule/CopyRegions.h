// The memory that copies in flight concern.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_COPYREGIONS_H
#define SYSTOLE_COMPILER_SCHEDULE_COPYREGIONS_H

#include "compiler/Schedule/Address.h"

#include "llvm/ADT/DenseMap.h"

namespace systole::machine {

/// Which loads and stores copies and waits keep their order with. Loads and stores never access
/// HBM; a wait concerns what the copies of the routine that count on its flag read and write.
class CopyRegions {
public:
  CopyRegions(const Module &module, const Function &f, const AliasAnalysis &alias);

  bool isCopy(InstId i) const;
  /// A wait for copies of this routine. All other barriers concern all memory.
  bool isWait(InstId i) const;
  /// The flag of a copy or a wait.
  int32_t flagOf(InstId i) const;
  /// Whether a copy, or one that a wait waits for, may read or write what `access` does.
  bool touches(InstId i, const MemoryAccess &access) const;

private:
  void addRegions(InstId copy, std::vector<int32_t> &regions) const;
  bool overlaps(const std::vector<int32_t> &regions, const MemoryAccess &access) const;

  const Module &module;
  const Function &f;
  const AliasAnalysis &alias;
  llvm::DenseMap<int32_t, std::vector<int32_t>> regionsOfFlag;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_COPYREGIONS_H
