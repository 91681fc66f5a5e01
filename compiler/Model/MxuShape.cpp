// The MXUs of a target.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MxuShape.h"
#include "dialects/Machine/Target/Target.h"

namespace systole {

MxuShape mxuShapeOf(const Target &target, const CodeBudget &budget) {
  using isa::LatencyClass;
  return {.count = target.mxusPerCore(),
          .tiles = int(target.mxuSize() / kLanes),
          .pushInterval = target.interval(LatencyClass::mxu_push),
          .pushLatency = target.latency(LatencyClass::mxu_push),
          .fifoDepth = target.limits().mxuFifoDepth,
          .mostGroups = budget.mostGroups(),
          .latchInterval = target.interval(LatencyClass::mxu_latch),
          .swapLatency = target.latency(LatencyClass::mxu_swap),
          .swapInterval = target.interval(LatencyClass::mxu_swap)};
}

} // namespace systole
