// Compiles modules of the caller's MLIR.
//
// The only header that includes MLIR, and all of it is here: the module crosses to the library as
// text, so the caller's MLIR may be of another version or build than the one that the library
// holds, and its StableHLO dialect another implementation. No MLIR object is shared.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_MLIR_H
#define SYSTOLE_MLIR_H

#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "systole/compiler.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::SYSTOLE_V0 {

/// Compiles a module of StableHLO for a device; the module is not changed. Errors, and lines in
/// reports, are at the module's own locations.
inline absl::StatusOr<Executable> compile(const Device &device, mlir::ModuleOp module,
                                          const CompileOptions &options = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream.flush();
  return compile(device, std::string_view(text), options);
}

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_MLIR_H
