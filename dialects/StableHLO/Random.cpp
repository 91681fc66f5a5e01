// The StableHLO operation that generates random bits.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Random.cpp.inc"

void StableHLODialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Random.cpp.inc"
      >();
}

LogicalResult RngBitGeneratorOp::verify() {
  Type initial = getInitialState().getType(), output = getOutputState().getType();
  if (!areCompatibleTypes(initial, output))
    return Refusal(*this)("requires the same type for both states, but initial_state is ", initial,
                          " and output_state is ", output);
  return success();
}
