// Analysis of reducers that select one of two elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_CHOICE_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_CHOICE_H

#include "mlir/IR/Block.h"

#include <optional>

namespace systole::expansion {

/// The condition by which a reducer selects its first or its second arguments.
struct Choice {
  mlir::Value condition;
  bool takesFirst; // if the condition is true
};

/// The condition by which a reducer of two sets of scalars selects one of them, if it does: results
/// may have conditions of their own as long as they differ only between equal elements (0 and -0
/// are equal).
std::optional<Choice> choiceOf(mlir::Block &body);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_CHOICE_H
