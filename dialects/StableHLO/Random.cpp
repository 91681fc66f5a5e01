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
  auto state = getInitialState().getType();
  RngAlgorithm algorithm = getRngAlgorithm();
  // Of other states than the specification's the size is left to the implementation.
  if (algorithm == RngAlgorithm::DEFAULT || !state.getElementType().isUnsignedInteger(64) ||
      !state.hasStaticShape())
    return success();
  bool isPhilox = algorithm == RngAlgorithm::PHILOX;
  int64_t size = state.getRank() == 1 ? state.getDimSize(0) : 0;
  if (size != 2 && !(isPhilox && size == 3))
    return Refusal(*this)("requires ", isPhilox ? "2 or 3" : "2", " numbers as the state of ",
                          stringifyRngAlgorithm(algorithm), ", but initial_state is ", state);
  return success();
}
