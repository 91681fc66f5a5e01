// Passes that make a sharded program that of one core among several.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PASSES_H
#define SYSTOLE_COMPILER_PARTITION_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <vector>

namespace systole {

class Target;

/// On cores of a slice, which are where `places` says; without it the first ones.
std::unique_ptr<mlir::Pass> createExpandCollectives(const Target &slice, std::vector<int> places);

#define GEN_PASS_DECL
#include "compiler/Partition/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Partition/Passes.h.inc"

} // namespace systole

#endif // SYSTOLE_COMPILER_PARTITION_PASSES_H
