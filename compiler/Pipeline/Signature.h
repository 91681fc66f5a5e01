// A program's signature and image, from a module of kernels to its header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H
#define SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H

#include "dialects/Machine/Program/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// The program's name for an element type: "f32", "ui8", ...
std::string dtypeName(mlir::Type elementType);

/// Which arguments of the entry's the caller gives up (`tf.aliasing_output`, `jax.buffer_donor`).
std::vector<bool> donatedArguments(mlir::ModuleOp module);

/// Fills arguments, results, constants and allocations from the attributes that
/// form-kernels leaves on the module, which are then removed.
void takeSignature(mlir::ModuleOp module, program::ProgramHeader &header,
                   std::vector<std::string> &constants);

/// Numbers the regions of arguments, results and constants by the module's `core.regions`, in
/// which those of HBM come last, and not by `kernel.hbm_plan`.
void placeSignature(mlir::ModuleOp module, program::ProgramHeader &header);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H
