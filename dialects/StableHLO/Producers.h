// The names under which producers of StableHLO attach attributes of their own.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_PRODUCERS_H
#define SYSTOLE_DIALECTS_STABLEHLO_PRODUCERS_H

#include "mlir/IR/DialectRegistry.h"

namespace systole::stablehlo {

/// Registers a dialect without operations for each known producer, so that
/// attributes such as `jax.result_info` or `mhlo.num_partitions` are accepted
/// and kept on modules, functions, arguments and operations. An operation of
/// such a dialect is still an error.
void registerProducerDialects(mlir::DialectRegistry &registry);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_PRODUCERS_H
