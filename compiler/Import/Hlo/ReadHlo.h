// Reads XLA's HLO: modules as protos or as text.
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

/// Whether bytes are HLO as text, as XLA dumps it: after comments they begin with `HloModule`.
bool isHloText(llvm::StringRef bytes);

/// Whether bytes look like an HloModuleProto or a message around one: they are a sequence of a
/// message's fields.
bool isHloProto(llvm::StringRef bytes);

/// An HloModuleProto or what is around one as an HloModuleProtoWithConfig with what XLA's clients need of a
/// configuration: how arguments and results lie. Nothing if there is no module.
std::optional<std::string> hloWithConfig(llvm::StringRef proto);

/// The module in StableHLO and CHLO that HLO means, in either form. Protos may be an
/// HloModuleProto, with its configuration or not, an HloProto or a snapshot, of which only the
/// module is read. Bytes are believed nothing: what is wrong is one diagnostic that names the
/// instruction or the place, takes memory and time in proportion to their number, and gives null.
mlir::OwningOpRef<mlir::ModuleOp> readHlo(llvm::StringRef bytes, llvm::StringRef fileName,
                                          mlir::MLIRContext &context);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_HLO_READHLO_H
