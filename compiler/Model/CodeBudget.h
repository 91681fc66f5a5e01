// How much memory the code of a program may take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_CODEBUDGET_H
#define SYSTOLE_COMPILER_MODEL_CODEBUDGET_H

#include <algorithm>
#include <cstdint>

namespace systole {

/// Limits of the code of a program. Almost all programs fit the defaults; one that does not is
/// compiled again with a tighter budget (compiler/Pipeline).
struct CodeBudget {
  /// Rows of VMEM that kernels leave to spilled registers.
  int64_t spillRows = 512;
  /// How often the lengths below are halved. Shorter code runs longer.
  int halvings = 0;

  /// Groups of eight rows of an MXU in one step of a product, which is straight-line code that the
  /// scheduler can overlap.
  int64_t mostGroups() const { return 32 >> halvings; }
  /// Loads and stores of a copy of few rows as straight-line code.
  int64_t mostCopyOps() const { return 96 >> halvings; }
  /// Copies of the body of a stage that unrolling may make, of `usual` ones.
  int64_t mostCopies(int64_t usual) const { return std::max<int64_t>(usual >> halvings, 1); }
  /// Whether the groups of a tile of weights are latched by a loop.
  bool loopsOverLatches() const { return halvings > 0; }
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_CODEBUDGET_H
