// The StableHLO operations in which several devices take part.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Collectives.cpp.inc"

void StableHLODialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Collectives.cpp.inc"
      >();
}
