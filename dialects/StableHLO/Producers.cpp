// The names under which producers of StableHLO attach attributes of their own.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Producers.h"

#include "mlir/IR/ExtensibleDialect.h"

using namespace mlir;

void systole::stablehlo::registerProducerDialects(DialectRegistry &registry) {
  for (StringRef name : {"jax", "mhlo", "sdy", "tf", "tf_saved_model", "xla"})
    registry.insertDynamic(name, [](MLIRContext *, DynamicDialect *) {});
}
