// Reads XLA's HLO modules, as protos or as text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_READHLO_H
#define SYSTOLE_COMPILER_IMPORT_HLO_READHLO_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace systole {

/// Whether bytes are HLO text as XLA dumps it: it begins with `HloModule` after comments.
bool isHloText(llvm::StringRef bytes);

/// Whether bytes look like an HloModuleProto or a message that contains one: they are a sequence of
/// fields.
bool isHloProto(llvm::StringRef bytes);

/// Converts an HloModuleProto, or a message that contains one, to an HloModuleProtoWithConfig with
/// the layouts of arguments and results, which XLA's clients need. Nothing without a module.
std::optional<std::string> hloWithConfig(llvm::StringRef proto);

/// Converts an HLO module, as text or proto, to StableHLO and CHLO. Protos may be an
/// HloModuleProto, with its configuration or without, an HloProto or a snapshot, of which only the
/// module is read. The bytes are untrusted: malformed input gives null and one diagnostic with the
/// instruction or the offset, in time and memory linear in the number of bytes.
mlir::OwningOpRef<mlir::ModuleOp> readHlo(llvm::StringRef bytes, llvm::StringRef fileName,
                                          mlir::MLIRContext &context);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_HLO_READHLO_H
