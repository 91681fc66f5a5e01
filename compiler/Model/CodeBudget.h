// How much memory the code of a program may take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_CODEBUDGET_H
#define SYSTOLE_COMPILER_MODEL_CODEBUDGET_H

#include <cstdint>

namespace systole {

/// What code generation and planning leave to registers and code. Almost all programs fit the
/// defaults; one that does not is compiled again with a tighter budget (compiler/Pipeline).
struct CodeBudget {
  /// Rows of VMEM that kernels leave to spilled registers.
  int64_t spillRows = 512;
  /// How often the lengths of straight-line code are halved: of steps of products, and of copies of
  /// few rows. Shorter code runs longer.
  int halvings = 0;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_CODEBUDGET_H
