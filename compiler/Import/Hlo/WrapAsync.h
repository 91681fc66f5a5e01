// Asynchronous forms of operations, as computations that async-start calls.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_WRAPASYNC_H
#define SYSTOLE_COMPILER_IMPORT_HLO_WRAPASYNC_H

#include "compiler/Import/Hlo/hlo.pb.h"

namespace systole::hlo {

/// Replaces instructions `X-start`, `X-update` and `X-done`, of each X that has no builder of its
/// own for these: the start becomes an `async-start` of a computation that is X with its
/// attributes. XLA's text has such names for all operations, its protos for some collectives.
void wrapAsync(HloModuleProto &module);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_WRAPASYNC_H
