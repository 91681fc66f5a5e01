// Bodies that choose one of two elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_EXPAND_CHOICE_H
#define SYSTOLE_COMPILER_GRAPH_EXPAND_CHOICE_H

#include "mlir/IR/Block.h"

#include <optional>

namespace systole::expansion {

/// The condition by which a body takes either its first arguments or its second ones.
struct Choice {
  mlir::Value condition;
  bool takesFirst; // where it is true
};

/// How a body of two sets of scalars chooses one of them, if that is what it does: each result
/// may have a condition of its own as long as they differ only between equal elements (0 and
/// -0 are equal).
std::optional<Choice> choiceOf(mlir::Block &body);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_GRAPH_EXPAND_CHOICE_H
