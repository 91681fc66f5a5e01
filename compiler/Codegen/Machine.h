// The parameters of the target machine that code generation uses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_MACHINE_H
#define SYSTOLE_COMPILER_CODEGEN_MACHINE_H

#include <cstdint>

#include "compiler/Model/MachineModel.h"
#include "compiler/Model/MxuShape.h"
#include "dialects/Kernel/SyncFlags.h"
#include "dialects/Layout/MachineShape.h"

namespace systole::codegen {

struct Machine {
  /// Rows of 512 bytes of VMEM, at whose end some are reserved for spills.
  int64_t vmemRows = 32768;
  CodeBudget budget;
  /// Words of SMEM.
  int64_t smemWords = 4096;
  /// Words at the beginning of SMEM that hold the arguments of a call beyond the registers.
  int64_t argumentWords = 0;
  MxuShape mxu;
  /// Whether the vector unit computes with pairs of bf16 (the feature bf16_valu).
  bool bf16Pairs = false;
  /// Levels of a DMA descriptor: a chunk and dmaDimensions - 1 strides.
  int dmaDimensions = 2;
  /// Copies that may be in flight; another one traps.
  int dmaQueueDepth = 16;
};

/// The share of the DMA queue for stages and streams; the rest is for a kernel's
/// blocks.
inline int stageCopies(const Machine &machine) {
  return machine.dmaQueueDepth < 4 ? 1 : machine.dmaQueueDepth / 4;
}

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_MACHINE_H
