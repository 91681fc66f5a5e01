// A program's signature and constants, from a module of kernels to its header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H
#define SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H

#include "dialects/Machine/Program/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// The name of an element type in programs: "f32", "ui8", ...
std::string dtypeName(mlir::Type elementType);

/// Flags of donated arguments of the entry (`tf.aliasing_output`, `jax.buffer_donor`).
std::vector<bool> donatedArguments(mlir::ModuleOp module);

/// Fills arguments, results, constants and allocations from the module attributes that form-kernels
/// sets, and removes these.
void takeSignature(mlir::ModuleOp module, program::ProgramHeader &header,
                   std::vector<std::string> &constants);

/// Adds the arguments and results that are in the memory of the host to those on the device, and
/// removes `kernel.host_arrays`.
void addHostArrays(mlir::ModuleOp module, program::ProgramHeader &header);

/// Renumbers the regions of arguments, results and constants from `kernel.hbm_plan` and
/// `kernel.pinned_plan` to the module's `core.regions`, where those come last.
void placeSignature(mlir::ModuleOp module, program::ProgramHeader &header);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_SIGNATURE_H
