// The StableHLO dialect: registration of its operations, attributes and types.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole::stablehlo;

#include "dialects/StableHLO/StableHLODialect.cpp.inc"

void StableHLODialect::initialize() {
  registerAttributes();
  registerTypes();
  registerCreationOps();
  registerUnaryOps();
  registerBinaryOps();
  registerSelectionOps();
  registerDataMovementOps();
  registerIndexingOps();
  registerReductionOps();
  registerCollectiveOps();
  registerContractionOps();
  registerConvolutionOps();
  registerControlFlowOps();
  registerWindowOps();
  registerSortingOps();
  registerBatchNormOps();
  registerRandomOps();
  registerLinearAlgebraOps();
  registerSpectraOps();
  registerTransferOps();
  registerDynamicOps();
  registerGroupingOps();
  registerSupersededOps();
}
