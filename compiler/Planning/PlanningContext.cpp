// Machine parameters of planning.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PlanningContext.h"

#include "dialects/Machine/Target/Target.h"

namespace systole {

PlanningContext::PlanningContext(const Target &target, int precision, const CodeBudget &budget)
    : model(target, budget), precision(precision), vmemBytes(model.vmemBytes()),
      smemWords(target.smemWords()), hbmRows(target.hbmRows()) {}

} // namespace systole
