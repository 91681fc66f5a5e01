// Reads the bodies of Pallas kernels: modules of Mosaic in their serialized form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_MOSAIC_READMOSAIC_H
#define SYSTOLE_COMPILER_IMPORT_MOSAIC_READMOSAIC_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole {

/// The version of Mosaic's serialized form that JAX writes now. Older ones are read, too.
constexpr int64_t kNewestMosaicVersion = 15;

/// Registers `tpu` and the dialects of MLIR that kernels have.
void registerMosaicDialects(mlir::DialectRegistry &registry);

/// The module of a kernel, in `tpu`, `arith`, `cf`, `func`, `math`, `memref`, `scf` and `vector`,
/// which are loaded into the context of `loc`. It is verified, and has one kernel that kernelOf()
/// (Kernel.h) describes. The bytes are untrusted: malformed or unknown input gives failure after
/// one error, at the kernel's line if an operation is the cause, and else at `loc`, in time and
/// memory linear in the number of bytes.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> readMosaic(llvm::StringRef bytes,
                                                              mlir::Location loc);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_MOSAIC_READMOSAIC_H
